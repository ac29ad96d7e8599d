-- The same namespace and name give the same UUID; another namespace or name gives a different one.
SELECT uuid_v5(url, 'https://example.com/') = uuid_v5(url, 'https://example.com/') AS same,
       uuid_v5(url, 'https://example.com/') <> uuid_v5(dns, 'https://example.com/') AS by_namespace,
       uuid_v5(url, 'https://example.com/') <> uuid_v5(url, 'https://example.com') AS by_name
FROM (SELECT uuid_namespace('url'), uuid_namespace('dns')) AS namespaces (url, dns);

-- A text is hashed as UTF-8. Any bytes are allowed, also none.
SELECT count(*) FILTER (WHERE uuid_v3(ns, name) <> uuid_v3(ns, convert_to(name, 'UTF8'))) AS v3,
       count(*) FILTER (WHERE uuid_v5(ns, name) <> uuid_v5(ns, convert_to(name, 'UTF8'))) AS v5,
       count(*) FILTER (WHERE uuid_v8_hash('sha512', ns, name)
                              <> uuid_v8_hash('sha512', ns, convert_to(name, 'UTF8'))) AS v8,
       count(DISTINCT uuid_v5(ns, name)) AS different
FROM (VALUES (''), ('a'), ('ü'), ('日本語'), ('3www7example3com0'), ('2.999'), ('cn=John Doe, o=Acme'),
             (repeat('x', 100000))) AS n(name),
     (VALUES (uuid_namespace('dns')), (uuid_namespace('url')), (nil_uuid()), (max_uuid()),
             ('6ba7b813-9dad-11d1-80b4-00c04fd430c8'), ('2489e9ad-2ee2-8e00-8ec9-32d5f69181c0')) AS s(ns);
SELECT uuid_v5(nil_uuid(), '\x00ff00'::bytea) <> uuid_v5(nil_uuid(), '\x00ff'::bytea) AS octets;

-- Version 8 with any digest of at least 128 bits. The leftmost 128 bits are used.
SELECT algorithm, uuid_v8_hash(algorithm, uuid_namespace('dns'), 'www.example.com')
FROM unnest(ARRAY['sha224', 'sha256', 'SHA256', 'sha384', 'sha512', 'sha3-256', 'shake128', 'shake256',
                  'md5', 'sha1']) AS algorithm;
SELECT uuid_v8_hash('sha255', nil_uuid(), 'name');
SELECT uuid_v8_hash('', nil_uuid(), 'name');
SELECT uuid_v8_hash('null', nil_uuid(), 'name');
\set VERBOSITY sqlstate
SELECT uuid_v8_hash(repeat('sha256', 100), nil_uuid(), 'name');
SELECT uuid_v8_hash('sha255', nil_uuid(), 'name');
\set VERBOSITY default

-- Calls with different algorithms do not affect each other.
SELECT uuid_v8_hash('sha256', nil_uuid(), 'a') = uuid_v8_hash('sha256', nil_uuid(), 'a')
       AND uuid_v8_hash('sha512', nil_uuid(), 'a') <> uuid_v8_hash('sha256', nil_uuid(), 'a') AS independent;

-- The names of namespaces are case-insensitive. An unknown one is an error with a list of the known ones.
SELECT uuid_namespace('DNS') = uuid_namespace('dns') AS dns, uuid_namespace('X500') = uuid_namespace('x500') AS x500;
SELECT uuid_namespace('ftp');
SELECT uuid_namespace('');
\set VERBOSITY sqlstate
SELECT uuid_namespace('ftp');
\set VERBOSITY default
