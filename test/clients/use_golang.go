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

// useKeys inserts rows and reads the time of the first.
func useKeys(name string, db *sql.DB) {
	var id uuid.UUID
	var text string
	var at time.Time
	scan(db.QueryRow("INSERT INTO event (what) VALUES ($1) RETURNING id, id", "first"), &id, &text)
	check(name+": a key is a string, or a uuid.UUID", id.String(), text)
	check(name+": its version is 7", id.Version(), uuid.V7)
	scan(db.QueryRow("SELECT uuid_extract_time($1)", id), &at)
	check(name+": the time of a key", fmt.Sprintf("%012x", at.UnixMilli()), strings.ReplaceAll(text, "-", "")[:12])
	transaction, err := db.Begin()
	need(err)
	insert, err := transaction.Prepare("INSERT INTO event (what) VALUES ($1)")
	need(err)
	for n := 0; n < 500; n++ {
		_, err = insert.Exec("many")
		need(err)
	}
	need(transaction.Commit())
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
	scan(db.QueryRow("SELECT count(*) FROM event WHERE id <@ tstzrange($1, $2)", since, until), &rows)
	check(name+": so it is as an argument", rows, 288)
}

// useBoth inserts keys of the client, which have random bits after the millisecond, beside the server's.
func useBoth(db *sql.DB) {
	for n := 0; n < 50; n++ {
		_, err := db.Exec("INSERT INTO event (id, what) VALUES ($1, 'client')", uuid.Must(uuid.NewV7()))
		need(err)
		_, err = db.Exec("INSERT INTO event (what) VALUES ('server')")
		need(err)
	}
}

// useSqlx reads the rows of a day into structs, by places and by names.
func useSqlx() {
	db := sqlx.MustConnect("postgres", "sslmode=disable")
	since := time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC)
	until := since.AddDate(0, 0, 1)
	var events []struct {
		ID   uuid.UUID
		What string
	}
	err := db.Select(&events, `SELECT id, what FROM event
		WHERE id >= $1::timestamptz AND id < $2::timestamptz ORDER BY id`, since, until)
	need(err)
	check("sqlx: a slice of structs", len(events), 288)
	times := map[string]interface{}{"since": since}
	_, err = db.NamedQuery("SELECT id FROM event WHERE id >= :since::timestamptz", times)
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
		db.SetMaxOpenConns(1)
		useKeys(driver.name, db)
		useTimes(driver.name, db, driver.wrong)
		useBoth(db)
	}
	useSqlx()
	if failed {
		os.Exit(1)
	}
}
