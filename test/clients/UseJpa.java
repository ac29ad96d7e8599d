import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.persistence.Column;
import javax.persistence.Entity;
import javax.persistence.EntityManager;
import javax.persistence.Id;
import javax.persistence.Persistence;
import javax.persistence.Table;
import org.eclipse.persistence.annotations.Convert;
import org.eclipse.persistence.annotations.Converter;
import org.eclipse.persistence.mappings.DatabaseMapping;
import org.eclipse.persistence.sessions.Session;

/** JPA with EclipseLink. */
public class UseJpa {
    private static boolean failed;

    /** Prints a result. */
    private static void check(String what, boolean isSo) {
        failed |= !isSo;
        System.out.println((isSo ? "ok - " : "not ok - ") + what);
    }

    // [doc: entity]
    @Entity(name = "Event")
    @Table(name = "event")
    public static class Event {
        @Id
        @Convert("uuid")
        @Converter(name = "uuid", converterClass = UuidConverter.class)  // EclipseLink before 4 only
        public UUID id;
        @Column(name = "created_at", insertable = false, updatable = false)
        public OffsetDateTime createdAt;
        public String what;
    }
    // [end]

    /** Makes EclipseLink send UUIDs as they are. */
    public static class UuidConverter implements org.eclipse.persistence.mappings.converters.Converter {
        @Override
        public void initialize(DatabaseMapping mapping, Session session) {
            mapping.getField().setSqlType(java.sql.Types.OTHER);
        }

        @Override
        public Object convertObjectValueToDataValue(Object value, Session session) {
            return value;
        }

        @Override
        public Object convertDataValueToObjectValue(Object value, Session session) {
            return value;
        }

        @Override
        public boolean isMutable() {
            return false;
        }
    }

    /** Returns a new event with a key of the server. */
    private static Event newEvent(EntityManager manager, String what) {
        Event event = new Event();
        event.what = what;
        event.id = (UUID) manager.createNativeQuery("SELECT uuid_v7()").getSingleResult();
        return event;
    }

    /** Returns the lowest version 7 UUID at or after a time. */
    private static UUID uuidV7Min(Instant time) {
        return new UUID(time.plusNanos(999_999).toEpochMilli() << 16 | 0x7000, 0x8000L << 48);
    }

    private static void useTimes(EntityManager manager) {
        OffsetDateTime since = OffsetDateTime.parse("2026-01-10T00:00:00Z");
        OffsetDateTime until = OffsetDateTime.parse("2026-01-11T00:00:00Z");
        UUID first = uuidV7Min(since.toInstant());
        UUID end = uuidV7Min(until.toInstant());
        List<Event> events = manager.createQuery(
                "SELECT e FROM Event e WHERE e.id >= :first AND e.id < :end ORDER BY e.id", Event.class)
                .setParameter("first", first).setParameter("end", end).getResultList();
        Object next = manager.createNativeQuery("SELECT id FROM event"
                + " WHERE id >= timestamptz '2026-01-10 00:00Z' ORDER BY id LIMIT 1").getSingleResult();
        check("the bounds in JPQL", events.size() == 288 && events.get(0).id.equals(next));
        List<?> ids = manager.createNativeQuery("SELECT id FROM event"
                + " WHERE id >= CAST(?1 AS timestamptz) AND id < CAST(?2 AS timestamptz) ORDER BY id")
                .setParameter(1, since.toString()).setParameter(2, until.toString()).getResultList();
        check("with a cast, text is a time", ids.size() == 288 && ids.get(0).equals(events.get(0).id));
        List<Event> timed = manager.createQuery("SELECT e FROM Event e"
                + " WHERE e.createdAt >= :since AND e.createdAt < :until ORDER BY e.createdAt", Event.class)
                .setParameter("since", since).setParameter("until", until).getResultList();
        check("a time column finds the same rows", timed.equals(events));
        check("it is a time", timed.get(0).createdAt.isEqual(since));
    }

    public static void main(String[] arguments) {
        // Not as properties, where EclipseLink takes a password of hexadecimal digits for an encrypted one.
        String url = "jdbc:postgresql://127.0.0.1:" + System.getenv("PGPORT") + "/" + System.getenv("PGDATABASE")
                + "?user=" + System.getenv("PGUSER") + "&password=" + System.getenv("PGPASSWORD");
        EntityManager manager = Persistence.createEntityManagerFactory(
                "event", Map.of("javax.persistence.jdbc.url", url)).createEntityManager();
        manager.getTransaction().begin();
        manager.createNativeQuery("CALL add_time_column()").executeUpdate();
        Event event = newEvent(manager, "first");
        manager.persist(event);
        for (int n = 0; n < 1000; n++) {
            manager.persist(newEvent(manager, "many"));
        }
        manager.getTransaction().commit();
        manager.clear();
        check("a key of the server",
                event.id.version() == 7 && manager.find(Event.class, event.id).what.equals("first"));
        useTimes(manager);
        System.exit(failed ? 1 : 0);
    }
}
