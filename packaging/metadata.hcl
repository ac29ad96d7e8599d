// Describes the extension image in the form of CloudNativePG's catalog of extensions,
// https://github.com/cloudnative-pg/postgres-extensions-containers
metadata = {
  name       = "uuidx"
  sql_name   = "uuidx"
  image_name = "uuidx"
  licenses   = ["PostgreSQL"]
  // ["uuidx"] if uuid_v7_server() is to keep its order on promoted standbys.
  shared_preload_libraries = []
  postgresql_parameters    = {}
  // Empty: the image's /share and /lib.
  extension_control_path = []
  dynamic_library_path   = []
  ld_library_path        = []
  bin_path               = []
  env                    = {}
  auto_update_os_libs    = false
  required_extensions    = []
  create_extension       = true

  versions = {
    bookworm = {
      "18" = {
        package = "1.0.0-1"
        sql     = "1.0"
      }
    }
    trixie = {
      "18" = {
        package = "1.0.0-1"
        sql     = "1.0"
      }
    }
  }
}
