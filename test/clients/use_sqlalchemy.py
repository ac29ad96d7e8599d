"""SQLAlchemy 1.4 and 2 with psycopg 2, and 2 with psycopg 3; the table is of Alembic."""
import sqlalchemy
from alembic.autogenerate import compare_metadata, produce_migrations, render_python_code
from alembic.migration import MigrationContext
from alembic.operations import Operations
from check import ROWS, SINCE, UNTIL, check, clock, end, increase, is_new

# [doc: imports]
from sqlalchemy import CheckConstraint, Column, Computed, DateTime, text
from sqlalchemy.dialects.postgresql import UUID
# [end]
from sqlalchemy import Text, create_engine, select
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Session, declarative_base

Base = declarative_base()


class Event(Base):
    __tablename__ = "event"

    # [doc: model]
    __table_args__ = (CheckConstraint("uuid_is_v7(id)"),)
    id = Column(UUID(as_uuid=True), primary_key=True, server_default=text("uuid_v7()"))
    created_at = Column(DateTime(timezone=True), Computed("uuid_extract_v7_time(id)", persisted=True))
    # [end]
    what = Column(Text, nullable=False)


IS_2 = int(sqlalchemy.__version__[0]) >= 2


def migrate(driver, engine):
    """Creates the table by the migration that Alembic generates, and lets it generate another one."""
    with engine.begin() as connection:
        context = MigrationContext.configure(connection, opts={
            "compare_server_default": True, "compare_type": True,
            "include_name": lambda name, kind, parents: kind != "table" or name == "event"})
        script = render_python_code(produce_migrations(context, Base.metadata).upgrade_ops)
        exec(f"if True:\n{script}", {"op": Operations(context), "sa": sqlalchemy, "postgresql": postgresql})
    with engine.begin() as connection:
        kept = connection.scalar(text("SELECT kept('event')"))
        check(f'{driver}: the table has each part of the time column', kept == "stored", kept)
        changes = compare_metadata(MigrationContext.configure(connection, opts=context.opts), Base.metadata)
        check(f'{driver}: there is nothing to change', changes == [], changes)


def use_time_column(driver, session):
    """Finds rows by the time column."""
    event = Event(what="new")
    session.add(event)
    session.flush()
    check(f'{driver}: the time column has the time of the key',
          round(event.created_at.timestamp() * 1000) == event.id.int >> 80, event.created_at)
    query = select(Event.what).where(Event.created_at >= SINCE, Event.created_at < UNTIL)
    found = session.scalars(query.order_by(Event.created_at)).all()
    check(f'{driver}: it finds the rows of a time range', found == ROWS, found)
    event.what = "changed"
    session.flush()
    check(f'{driver}: it does not hinder an update',
          session.scalars(select(Event.what).where(Event.id == event.id)).all() == ["changed"])
    session.rollback()


def use(driver):
    """Creates the table, and inserts and finds rows."""
    engine = create_engine(f"postgresql+{driver}://", future=True)
    Base.metadata.drop_all(engine)
    start = clock()
    migrate(driver, engine)
    with Session(engine) as session:
        event = Event(what="first")
        session.add(event)
        session.commit()
        event = session.get(Event, event.id)
        check(f'{driver}: INSERT returns a new key', is_new(event.id, start), event.id)
        check(f'{driver}: a uuid.UUID finds its row', event.what == "first")
        events = [Event(what=f"row {n}") for n in range(100)]
        session.add_all(events)
        session.commit()
        ids = [event.id, *(event.id for event in events)]
        check(f'{driver}: keys are in the order of the objects', increase(ids) and is_new(ids[-1], start))
        rows = session.execute(select(Event.id, Event.what).order_by(Event.id)).all()
        check(f'{driver}: each object has the key of its row', rows == [
            (ids[0], "first"), *((id, f"row {n}") for n, id in enumerate(ids[1:]))])

        session.execute(text("CALL fill('event')"))
        query = select(Event.what).where(Event.id >= SINCE, Event.id < UNTIL).order_by(Event.id)
        found = session.scalars(query).all()
        check(f'{driver}: the id finds the rows of a time range', found == ROWS, found)
        use_time_column(driver, session)


use("psycopg2")
if IS_2:
    use("psycopg")
end()
