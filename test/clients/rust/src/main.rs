//! tokio-postgres.
use std::fmt::Debug;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Config, Error, NoTls};
use uuid::{Builder, Uuid};

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

/// Returns a key of version 7 with random bits after the millisecond, those of a key of version 4.
fn make_key(random: Uuid) -> Uuid {
    let mut bytes = *random.as_bytes();
    bytes[..6].copy_from_slice(&milliseconds(SystemTime::now()).to_be_bytes()[2..]);
    bytes[6] = 0x70 | bytes[6] & 0x0F;
    Builder::from_bytes(bytes).into_uuid()
}

/// Inserts rows and reads the time of the first.
async fn use_keys(db: &Client) -> Result<bool, Error> {
    let insert = db.prepare("INSERT INTO event (what) VALUES ($1) RETURNING id").await?;
    let id: Uuid = db.query_one(&insert, &[&"first"]).await?.get(0);
    let time: SystemTime = db.query_one("SELECT uuid_extract_time($1)", &[&id]).await?.get(0);
    for _ in 0..1000 {
        db.execute(&insert, &[&"many"]).await?;
    }
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

/// Inserts keys of the client beside the server's, and pages.
async fn use_both(db: &Client) -> Result<bool, Error> {
    for _ in 0..100 {
        let random = db.query_one("SELECT uuid_v4()", &[]).await?.get(0);
        db.execute("INSERT INTO event (id, what) VALUES ($1, 'client')", &[&make_key(random)]).await?;
        db.execute("INSERT INTO event (what) VALUES ('server')", &[]).await?;
    }
    let (mut after, mut found) = (Uuid::nil(), 0);
    loop {
        let page = db.query("SELECT id FROM event WHERE id > $1 ORDER BY id LIMIT 1000", &[&after]).await?;
        found += page.len() as i64;
        after = match page.last() {
            Some(row) => row.get(0),
            None => break,
        };
    }
    Ok(check("pages have every row once", found, db.query_one("SELECT count(*) FROM event", &[]).await?.get(0)))
}

async fn run() -> Result<bool, Error> {
    let variable = |name| std::env::var(name).unwrap();
    let mut config = Config::new();
    config.host(&variable("PGHOST")).port(variable("PGPORT").parse().unwrap());
    config.user(&variable("PGUSER")).dbname(&variable("PGDATABASE"));
    let (db, connection) = config.connect(NoTls).await?;
    tokio::spawn(connection);
    Ok(use_keys(&db).await? & use_times(&db).await? & use_both(&db).await?)
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let is_so = runtime.block_on(run()).unwrap();
    std::process::exit(!is_so as i32);
}
