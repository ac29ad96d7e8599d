// pgx v5 by itself, and GORM, which uses it.
package main

import (
	"context"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

var since = time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC)
var until = since.AddDate(0, 0, 1)

// usePgx inserts a row and reads those of a day.
func usePgx() {
	ctx := context.Background()
	connection, err := pgx.Connect(ctx, "")
	need(err)
	defer connection.Close(ctx)
	var id string
	need(connection.QueryRow(ctx, "INSERT INTO event (what) VALUES ($1) RETURNING id", "first").Scan(&id))
	check("pgx: a key is a string", id[14:15], "7")
	rows, err := connection.Query(ctx, "SELECT id::text FROM event WHERE id <@ tstzrange($1, $2)", since, until)
	need(err)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	need(err)
	check("pgx: the keys of a day as text", len(ids), 288)
}

// [doc: model]

type Event struct {
	ID        string    `gorm:"type:uuid;default:uuid_v7()"`
	CreatedAt time.Time `gorm:"->"`
	What      string
}

// [end]

func (Event) TableName() string { return "event" }

func main() {
	usePgx()
	db, err := gorm.Open(postgres.Open(""), &gorm.Config{Logger: logger.Discard})
	need(err)
	type Ticket struct {
		ID string `gorm:"type:uuid;primaryKey;default:uuid_v7()"`
	}
	need(db.AutoMigrate(&Ticket{}))
	var made string
	need(db.Raw("SELECT column_default FROM information_schema.columns WHERE table_name = 'tickets'").Scan(&made).Error)
	check("GORM: AutoMigrate has the default", made, "uuid_v7()")
	need(db.Exec("CALL add_time_column()").Error)
	many := make([]Event, 1000)
	for n := range many {
		many[n].What = "many"
	}
	need(db.CreateInBatches(&many, 100).Error)
	inOrder := true
	for n := range many {
		inOrder = inOrder && many[n].ID[14] == '7' && (n == 0 || many[n-1].ID < many[n].ID)
	}
	check("GORM: Create returns keys in order", inOrder, true)

	var events []Event
	need(db.Where("created_at >= ? AND created_at < ?", since, until).Order("created_at").Find(&events).Error)
	check("GORM: the time column finds them", len(events) == 288 && events[0].CreatedAt.Equal(since), true)
	if failed {
		os.Exit(1)
	}
}
