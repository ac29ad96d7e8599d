// lib/pq and pgx, by database/sql, and sqlx.
package main

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/gofrs/uuid"
	_ "github.com/jackc/pgx/v4/stdlib"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// scan stores the columns of a statement's row.
func scan(row *sql.Row, columns ...interface{}) {
	need(row.Scan(columns...))
}

// reason returns the server's SQLSTATE, or the client's message.
func reason(err error) string {
	var fromServer *pq.Error
	if errors.As(err, &fromServer) {
		return string(fromServer.Code)
	}
	return fmt.Sprint(err)
}

// useKeys inserts a row and reads its time.
func useKeys(name string, db *sql.DB) {
	var id uuid.UUID
	var text string
	var at time.Time
	scan(db.QueryRow("INSERT INTO event (what) VALUES ($1) RETURNING id, id", "first"), &id, &text)
	check(name+": a key is a string, or a uuid.UUID", id.String(), text)
	check(name+": its version is 7", id.Version(), uuid.V7)
	scan(db.QueryRow("SELECT uuid_extract_time($1)", id), &at)
	check(name+": the time of a key", fmt.Sprintf("%012x", at.UnixMilli()), strings.ReplaceAll(text, "-", "")[:12])
}

// useTimes counts the rows of a day.
func useTimes(name string, db *sql.DB, wrong string) {
	since := time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC)
	until := since.AddDate(0, 0, 1)
	var rows int
	err := db.QueryRow("SELECT count(*) FROM event WHERE id >= $1 AND id < $2", since, until).Scan(&rows)
	check(name+": a time.Time is taken for a UUID", reason(err), wrong)
	cast := "SELECT count(*) FROM event WHERE id >= $1::timestamptz AND id < $2::timestamptz"
	scan(db.QueryRow(cast, since, until), &rows)
	check(name+": with a cast it is a time", rows, 288)
}

// useSqlx reads rows by a parameter with a name.
func useSqlx() {
	db := sqlx.MustConnect("postgres", "sslmode=disable")
	times := map[string]interface{}{"since": time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC)}
	_, err := db.NamedQuery("SELECT id FROM event WHERE id >= :since::timestamptz", times)
	check("sqlx: a name before :: fails", strings.Contains(reason(err), "unexpected `:`"), true)
	rows, err := db.NamedQuery("SELECT id FROM event WHERE id >= CAST(:since AS timestamptz)", times)
	need(err)
	check("sqlx: CAST does not", rows.Next(), true)
	need(rows.Close())
}

func main() {
	drivers := []struct{ name, wrong string }{
		{"postgres", "22P02"},
		{"pgx", "cannot convert 2026-01-10 00:00:00 +0000 UTC to UUID"},
	}
	for _, driver := range drivers {
		db, err := sql.Open(driver.name, "sslmode=disable")
		need(err)
		useKeys(driver.name, db)
		useTimes(driver.name, db, driver.wrong)
	}
	useSqlx()
	if failed {
		os.Exit(1)
	}
}
