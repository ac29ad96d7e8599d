"""SQLAlchemy, with keys and times of the server, and what Alembic would change."""
import sys

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from ordinary import take_steps
from sqlalchemy import Column, DateTime, Integer, Text, create_engine, func, select, text, tuple_
from sqlalchemy.dialects.postgresql import UUID, insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, declarative_base

Base = declarative_base()


class Entry(Base):
    __tablename__ = "entry"

    id = Column(UUID(as_uuid=True), primary_key=True, server_default=text("uuid_v7()"))
    created_at = Column(DateTime(timezone=True), nullable=False, index=True, server_default=func.now())
    what = Column(Text, nullable=False, unique=True)
    n = Column(Integer, nullable=False, index=True, server_default=text("0"))


engine = create_engine("postgresql+psycopg2://", future=True)
session = Session(engine)


def save(*entries):
    """Inserts or updates rows, and returns the first."""
    try:
        session.add_all(entries)
        session.commit()
    except IntegrityError:
        session.rollback()
        raise
    return entries[0]


def upsert(texts, n):
    """Inserts rows, or sets n."""
    statement = insert(Entry).values([{"what": what, "n": n} for what in texts])
    session.execute(statement.on_conflict_do_update(index_elements=["what"], set_={"n": statement.excluded.n}))
    session.commit()


def update(entry, n):
    """Sets n."""
    entry.n = n
    save(entry)


def rows(query):
    """Runs a query."""
    return session.scalars(query).all()


day = func.date(Entry.created_at)
take_steps(
    create=lambda: Base.metadata.create_all(engine), error=IntegrityError, upsert=upsert, update=update,
    insert=lambda **columns: save(Entry(**columns)),
    bulk=lambda texts, n: save(*(Entry(what=what, n=n) for what in texts)),
    where=lambda **columns: rows(select(Entry).filter_by(**columns)),
    day=lambda since, until: rows(
        select(Entry).where(Entry.created_at >= since, Entry.created_at < until).order_by(Entry.created_at)),
    page=lambda time, id: rows(select(Entry).where(tuple_(Entry.created_at, Entry.id) < (time, id)).order_by(
        Entry.created_at.desc(), Entry.id.desc()).limit(50)),
    days=lambda since, until: rows(select(func.count()).where(
        Entry.created_at >= since, Entry.created_at < until).group_by(day).order_by(day)))
if sys.argv[1] == "use":
    session.close()
    with engine.begin() as connection:
        for change in compare_metadata(MigrationContext.configure(connection), Base.metadata):
            print("change:", change[0])
