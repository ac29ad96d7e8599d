import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** JDBC with PostgreSQL's driver. */
public class UseJdbc {
    private static final OffsetDateTime SINCE = OffsetDateTime.parse("2026-01-10T00:00:00Z");
    private static final OffsetDateTime UNTIL = OffsetDateTime.parse("2026-01-11T00:00:00Z");
    private static final String TIME_RANGE = "SELECT id, what FROM event WHERE id >= ? AND id < ? ORDER BY id";
    private static boolean failed;

    /** Prints a result. */
    private static void check(String what, boolean isSo) {
        failed |= !isSo;
        System.out.println((isSo ? "ok - " : "not ok - ") + what);
    }

    /** Returns the UUIDs of the first column. */
    private static List<UUID> ids(ResultSet rows) throws SQLException {
        List<UUID> ids = new ArrayList<>();
        while (rows.next()) {
            ids.add(rows.getObject(1, UUID.class));
        }
        return ids;
    }

    private static void useKeys(Connection connection) throws SQLException {
        // [doc: keys]
        PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO event (what) VALUES (?)", new String[] {"id"});
        insert.setString(1, "first");
        insert.executeUpdate();
        ResultSet keys = insert.getGeneratedKeys();
        keys.next();
        UUID id = keys.getObject("id", UUID.class);
        // [end]
        PreparedStatement select = connection.prepareStatement("SELECT what FROM event WHERE id = ?");
        select.setObject(1, id);
        ResultSet rows = select.executeQuery();
        check("a new key is a UUID", id.version() == 7);
        check("a UUID finds its row", rows.next() && rows.getString(1).equals("first") && !rows.next());

        PreparedStatement batch = connection.prepareStatement(
                "INSERT INTO event (what) VALUES ('many')", Statement.RETURN_GENERATED_KEYS);
        for (int n = 0; n < 1000; n++) {
            batch.addBatch();
        }
        batch.executeBatch();
        List<UUID> many = ids(batch.getGeneratedKeys());
        check("a batch returns its keys in order", many.size() == 1000 && many.equals(ids(
                connection.createStatement().executeQuery("SELECT id FROM event WHERE what = 'many' ORDER BY id"))));
    }

    private static void useTimeRanges(Connection connection) throws SQLException {
        PreparedStatement select = connection.prepareStatement(TIME_RANGE);
        select.setObject(1, SINCE);
        select.setObject(2, UNTIL);
        check("a time range has its rows", ids(select.executeQuery()).size() == 288);

        // The driver prepares a statement at its fifth execution.
        for (int i = 0; i < 5; i++) {
            select.executeQuery();
        }
        ResultSet plans = connection.createStatement().executeQuery("SELECT generic_plan('SELECT id, what%')");
        plans.next();
        check("both parameters are times", plans.getString(1).startsWith(
                "{\"timestamp with time zone\",\"timestamp with time zone\"}"));
        check("the prepared statement asks the index for any time range", plans.getString(1).contains(
                "Index Cond: ((id >= uuid_v7_min($1)) AND (id < uuid_v7_min($2)))"));
    }

    /** The driver does not specify the type of a Timestamp. */
    private static void useTimestamps(Connection connection) throws SQLException {
        Timestamp since = Timestamp.from(SINCE.toInstant());
        Timestamp until = Timestamp.from(UNTIL.toInstant());
        PreparedStatement open = connection.prepareStatement(TIME_RANGE);
        open.setTimestamp(1, since);
        open.setTimestamp(2, until);
        try {
            open.executeQuery();
            check("a Timestamp is taken for a UUID", false);
        } catch (SQLException error) {
            check("a Timestamp is taken for a UUID", error.getSQLState().equals("22P02"));
        }
        PreparedStatement cast = connection.prepareStatement(
                "SELECT id FROM event WHERE id >= ?::timestamptz AND id < ?::timestamptz");
        cast.setTimestamp(1, since);
        cast.setTimestamp(2, until);
        check("with a cast it is a time", ids(cast.executeQuery()).size() == 288);
        PreparedStatement range = connection.prepareStatement("SELECT id FROM event WHERE id <@ tstzrange(?, ?)");
        range.setTimestamp(1, since);
        range.setTimestamp(2, until);
        check("as an argument it is one without a cast", ids(range.executeQuery()).size() == 288);
    }

    public static void main(String[] arguments) throws SQLException {
        String url = "jdbc:postgresql://127.0.0.1:" + System.getenv("PGPORT") + "/" + System.getenv("PGDATABASE");
        try (Connection connection = DriverManager.getConnection(
                url, System.getenv("PGUSER"), System.getenv("PGPASSWORD"))) {
            useKeys(connection);
            useTimeRanges(connection);
            useTimestamps(connection);
        }
        System.exit(failed ? 1 : 0);
    }
}
