// Command ferretdb serves the MongoDB wire protocol from SQLite files: the system of record of the embedded stack.
package main

import (
	"context"
	"flag"
	"log/slog"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"syscall"

	"github.com/FerretDB/FerretDB/ferretdb"
)

// FerretDB decodes each document that it scans into many short-lived objects: with Go's usual 100 %, a third of a scan is
// the collector's.
const growthPercent = 400

func main() {
	debug.SetGCPercent(growthPercent)
	listen := flag.String("listen", "127.0.0.1:27017", "address to serve")
	dir := flag.String("dir", "", "existing folder that holds one SQLite file per database")
	flag.Parse()
	if err := run(*listen, *dir); err != nil {
		slog.Error("cannot serve", "error", err)
		os.Exit(1)
	}
}

func run(listen, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{TCP: listen},
		Handler:   "sqlite",
		SQLiteURL: (&url.URL{Scheme: "file", OmitHost: true, Path: dir + "/"}).String(),
		// Its warnings quote every refused message, documents included.
		Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
	})
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	go keepIndexes(ctx, dir)
	return server.Run(ctx)
}
