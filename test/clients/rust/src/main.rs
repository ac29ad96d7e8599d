//! tokio-postgres.
use std::fmt::Debug;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Config, Error, NoTls};
use uuid::Uuid;

/// Prints a result, with what was seen if it is not as expected; returns whether it is.
fn check<T: Debug + PartialEq>(what: &str, seen: T, expected: T) -> bool {
    if seen == expected {
        println!("ok - {what}");
    } else {
        println!("not ok - {what}: {seen:?}");
    }
    seen == expected
}

/// Returns Unix milliseconds.
fn milliseconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap().as_millis() as u64
}

/// Inserts a row and reads the time of its key.
async fn use_keys(db: &Client) -> Result<bool, Error> {
    let id: Uuid = db.query_one("INSERT INTO event (what) VALUES ($1) RETURNING id", &[&"first"]).await?.get(0);
    let time: SystemTime = db.query_one("SELECT uuid_extract_time($1)", &[&id]).await?.get(0);
    Ok(check("a key is a Uuid", id.get_version_num(), 7)
        & check("the time of a key", milliseconds(time) as u128, id.as_u128() >> 80))
}

/// Counts the rows of a day.
async fn use_times(db: &Client) -> Result<bool, Error> {
    let since = UNIX_EPOCH + Duration::from_secs(1_768_003_200);
    let until = since + Duration::from_secs(86_400);
    let count = "SELECT count(*) FROM event WHERE id >= $1 AND id < $2";
    let cast = count.replace("$1", "$1::timestamptz").replace("$2", "$2::timestamptz");
    let error = db.query(count, &[&since, &until]).await.unwrap_err().to_string();
    let typed = db.prepare_typed(count, &[Type::TIMESTAMPTZ, Type::TIMESTAMPTZ]).await?;
    let mut is_so = check("a time is taken for a UUID", error.contains("the Postgres type `uuid`"), true);
    is_so &= check("with a cast it is a time", db.query_one(&cast, &[&since, &until]).await?.get(0), 288_i64);
    Ok(is_so & check("so it is by prepare_typed", db.query_one(&typed, &[&since, &until]).await?.get(0), 288_i64))
}

async fn run() -> Result<bool, Error> {
    let variable = |name| std::env::var(name).unwrap();
    let mut config = Config::new();
    config.host(&variable("PGHOST")).port(variable("PGPORT").parse().unwrap());
    config.user(&variable("PGUSER")).dbname(&variable("PGDATABASE"));
    let (db, connection) = config.connect(NoTls).await?;
    tokio::spawn(connection);
    Ok(use_keys(&db).await? & use_times(&db).await?)
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let is_so = runtime.block_on(run()).unwrap();
    std::process::exit(!is_so as i32);
}
