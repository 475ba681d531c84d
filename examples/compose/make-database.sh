#!/bin/sh
# Runs once, when the database is made. The server's login owns the database and is no superuser; the server makes the tables and the
# role longhand_app with it, and serves as that role.
set -eu
psql --username postgres --set ON_ERROR_STOP=1 --set password="$LONGHAND_PASSWORD" <<'SQL'
CREATE ROLE longhand LOGIN CREATEROLE PASSWORD :'password';
CREATE DATABASE memory OWNER longhand;
SQL
