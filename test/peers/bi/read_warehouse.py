"""Reads the warehouse as a BI tool does, by pandas over ODBC, and prints what it found as JSON.

Argument: an ODBC connection string.
"""

import json
import sys
import warnings

import pandas
import pyodbc

# It would rather have SQLAlchemy.
warnings.filterwarnings("ignore", message="pandas only supports SQLAlchemy")


def read(table):
    """A table or view: types by column, as the driver says them, and rows with values as Python writes them."""
    query = f"select * from warehouse.{table}"
    types = {name: kind.__name__ for name, kind, *_ in connection.execute(f"{query} limit 0").description}
    frame = pandas.read_sql(query, connection, coerce_float=False).astype(object)
    rows = [
        {name: None if pandas.isna(value) else str(value) for name, value in row.items()}
        for row in frame.to_dict("records")
    ]
    return {"types": types, "rows": rows, "comments": comments(table), **keys(table)}


def keys(table):
    """By the driver's own functions for the catalogue."""
    primary = connection.cursor().primaryKeys(table, schema="warehouse")
    foreign = connection.cursor().foreignKeys(foreignTable=table, foreignSchema="warehouse")
    return {
        "primary": [row.column_name for row in primary],
        "foreign": sorted(f"{row.fkcolumn_name} -> {row.pktable_name}.{row.pkcolumn_name}" for row in foreign),
    }


def comments(table):
    """By column; that of the table itself is without a name. The driver leaves them out of its own functions."""
    query = """
        select a.attname, d.description
        from (select attname, attnum from pg_attribute
              where attrelid = ?::regclass and attnum > 0 and not attisdropped
              union all select '', 0) a
        left join pg_description d
          on d.objoid = ?::regclass and d.classoid = 'pg_class'::regclass and d.objsubid = a.attnum"""
    name = f"warehouse.{table}"
    return {column: comment for column, comment in connection.execute(query, name, name).fetchall()}


connection = pyodbc.connect(sys.argv[1], readonly=True, autocommit=True)
tables = [row.table_name for row in connection.cursor().tables(schema="warehouse").fetchall()]
zone = connection.execute("select current_setting('TimeZone')").fetchval()
shown = connection.execute("select count(*) from information_schema.table_constraints").fetchval()
print(json.dumps({"zone": zone, "standardKeys": shown, "tables": {table: read(table) for table in sorted(tables)}}))
