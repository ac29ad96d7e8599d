//! sqlx.
use chrono::{DateTime, Utc};
use sqlx::{Connection, PgConnection, Row};
use std::error::Error;
use std::fmt::Debug;
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

/// Returns the lowest version 7 UUID at or after a time.
fn uuid_v7_min(time: DateTime<Utc>) -> Uuid {
    let milliseconds = (time.timestamp_micros() + 999).div_euclid(1000) as u128;
    Uuid::from_u128(milliseconds << 80 | 0x7000_8000_0000_0000_0000)
}

async fn use_sqlx(url: &str, since: DateTime<Utc>, until: DateTime<Utc>) -> Result<bool, Box<dyn Error>> {
    let mut db = PgConnection::connect(url).await?;
    let row = sqlx::query("INSERT INTO event (what) VALUES ($1) RETURNING id").bind("first").fetch_one(&mut db).await?;
    let id: Uuid = row.get(0);
    let time: DateTime<Utc> =
        sqlx::query("SELECT uuid_extract_time($1)").bind(id).fetch_one(&mut db).await?.get(0);
    let mut is_so = check("the time of a key", time.timestamp_millis() as u128, id.as_u128() >> 80);
    let events = sqlx::query("SELECT id, what FROM event WHERE id >= $1 AND id < $2 ORDER BY id")
        .bind(since)
        .bind(until)
        .fetch_all(&mut db)
        .await?;
    is_so &= check("a DateTime is sent as timestamptz", events.len(), 288);
    let ids: Vec<Uuid> = events.iter().map(|row| row.get(0)).collect();
    let bounds = sqlx::query("SELECT id FROM event WHERE id >= $1 AND id < $2 ORDER BY id");
    let rows = bounds.bind(uuid_v7_min(since)).bind(uuid_v7_min(until)).fetch_all(&mut db).await?;
    is_so &= check("the bounds", rows.iter().map(|row| row.get(0)).collect::<Vec<Uuid>>(), ids);
    let rows = sqlx::query("SELECT time, id FROM bound").fetch_all(&mut db).await?;
    let equal = rows.iter().filter(|row| uuid_v7_min(row.get(0)) == row.get::<Uuid, _>(1)).count();
    Ok(is_so & check("the bound is uuid_v7_min", equal, 2005))
}

fn main() -> Result<(), Box<dyn Error>> {
    let variable = |name| std::env::var(name).unwrap();
    let url = format!(
        "postgresql://{}@127.0.0.1:{}/{}?sslmode=disable",
        variable("PGUSER"), variable("PGPORT"), variable("PGDATABASE")
    );
    let since = "2026-01-10T00:00:00Z".parse()?;
    let until = "2026-01-11T00:00:00Z".parse()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let is_so = runtime.block_on(use_sqlx(&url, since, until))?;
    std::process::exit(!is_so as i32);
}
