package main

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite"
)

// FerretDB compares `_ferretdb_sjson->'$._id'` but indexes `_ferretdb_sjson->"_id"`, two different expressions to
// SQLite, so every look-up by _id would scan its table. We add the index that its queries can use.
const (
	idExpression = `_ferretdb_sjson->'$._id'`
	indexPrefix  = "slipway_id_"
	// The time a new collection may stay without the index; a new table is small, so scanning it is cheap.
	pollEvery = 250 * time.Millisecond
)

// keepIndexes looks for new databases and tables until ctx ends.
func keepIndexes(ctx context.Context, dir string) {
	known := map[string]*database{}
	defer func() {
		for _, db := range known {
			_ = db.Close()
		}
	}()
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for {
		files, _ := filepath.Glob(filepath.Join(dir, "*.sqlite"))
		present := map[string]bool{}
		for _, file := range files {
			present[file] = true
			if known[file] == nil {
				db, err := openDatabase(file)
				if err != nil {
					slog.Warn("cannot open database", "file", file, "error", err)
					continue
				}
				known[file] = db
			}
			if err := known[file].addIndexes(ctx); err != nil && ctx.Err() == nil {
				slog.Warn("cannot add indexes, will try again", "file", file, "error", err)
			}
		}
		for file, db := range known {
			if !present[file] { // dropDatabase removes the file: a connection kept open would write to its ghost
				_ = db.Close()
				delete(known, file)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

type database struct {
	*sql.DB
	schema int64
}

func openDatabase(file string) (*database, error) {
	uri := url.URL{Scheme: "file", OmitHost: true, Path: file}
	// rw, not rwc: the file must not come back after dropDatabase.
	uri.RawQuery = url.Values{"mode": {"rw"}, "_pragma": {"busy_timeout(10000)"}}.Encode()
	db, err := sql.Open("sqlite", uri.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return &database{DB: db, schema: -1}, nil
}

// addIndexes does nothing while the schema is the one seen last, which one read of the file's header tells.
func (db *database) addIndexes(ctx context.Context) error {
	var schema int64
	if err := db.QueryRowContext(ctx, `PRAGMA schema_version`).Scan(&schema); err != nil {
		return err
	}
	if schema == db.schema {
		return nil
	}
	tables, err := db.tablesWithoutIndex(ctx)
	if err != nil {
		return err
	}
	for _, table := range tables {
		statement := fmt.Sprintf(`CREATE INDEX IF NOT EXISTS %s ON %s (%s)`, quote(indexPrefix+table), quote(table), idExpression)
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	// With our own changes: one more round finds nothing to do and remembers the new number.
	if len(tables) == 0 {
		db.schema = schema
	}
	return nil
}

func (db *database) tablesWithoutIndex(ctx context.Context) ([]string, error) {
	rows, err := db.QueryContext(ctx, `
		SELECT name FROM sqlite_master AS tables
		WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name <> '_ferretdb_collections'
		AND NOT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = ? || tables.name)`, indexPrefix)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var tables []string
	for rows.Next() {
		var table string
		if err := rows.Scan(&table); err != nil {
			return nil, err
		}
		tables = append(tables, table)
	}
	return tables, rows.Err()
}

func quote(name string) string {
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}
