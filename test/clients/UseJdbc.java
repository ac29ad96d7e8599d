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
        PreparedStatement select = connection.prepareStatement("SELECT id FROM event WHERE id >= ? AND id < ?");
        select.setObject(1, SINCE);
        select.setObject(2, UNTIL);
        check("a time range has its rows", ids(select.executeQuery()).size() == 288);
        // The driver sends no type of a Timestamp.
        select.setTimestamp(1, Timestamp.from(SINCE.toInstant()));
        try {
            select.executeQuery();
            check("a Timestamp is taken for a UUID", false);
        } catch (SQLException error) {
            check("a Timestamp is taken for a UUID", error.getSQLState().equals("22P02"));
        }
    }

    public static void main(String[] arguments) throws SQLException {
        String url = "jdbc:postgresql://127.0.0.1:" + System.getenv("PGPORT") + "/" + System.getenv("PGDATABASE");
        try (Connection connection = DriverManager.getConnection(
                url, System.getenv("PGUSER"), System.getenv("PGPASSWORD"))) {
            useKeys(connection);
            useTimeRanges(connection);
        }
        System.exit(failed ? 1 : 0);
    }
}
