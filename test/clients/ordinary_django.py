"""Django, whose client makes keys and times; fixtures are loaded as by loaddata."""
import os
from datetime import datetime, timezone

import django
from django.conf import settings
from ordinary import key_at, take_steps

settings.configure(USE_TZ=True, TIME_ZONE="UTC", INSTALLED_APPS=["__main__"], DATABASES={"default": {
    "ENGINE": "django.db.backends.postgresql", "NAME": os.environ["PGDATABASE"], "HOST": os.environ["PGHOST"],
    "PORT": os.environ["PGPORT"], "USER": os.environ["PGUSER"]}})
django.setup()

from django.core.serializers import deserialize
from django.db import IntegrityError, connection, models
from django.db.models.functions import TruncDay


class Entry(models.Model):
    id = models.UUIDField(primary_key=True, default=lambda: key_at(datetime.now(timezone.utc)), editable=False)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)
    what = models.CharField(max_length=80, unique=True)
    n = models.IntegerField(default=0, db_index=True)

    class Meta:
        db_table = "entry"


def create():
    """Creates the table."""
    with connection.schema_editor() as editor:
        editor.create_model(Entry)


def load(id, **fields):
    """Loads a fixture."""
    for fixture in deserialize("python", [{"model": "__main__.entry", "pk": id, "fields": fields}]):
        fixture.save()


def upsert(texts, n):
    """Inserts rows twice, as older versions cannot insert or update many."""
    for what in texts:
        Entry.objects.update_or_create(what=what, defaults={"n": n})
    if django.VERSION >= (4, 1):
        Entry.objects.bulk_create([Entry(what=what, n=n) for what in texts], update_conflicts=True,
                                  unique_fields=["what"], update_fields=["n"])


def update(row, n):
    """Sets n, and writes all columns."""
    row.n = n
    row.save()


def in_range(since, until):
    """The rows of a range."""
    return Entry.objects.filter(created_at__gte=since, created_at__lt=until)


def days(since, until):
    """Counts the rows of each day."""
    rows = in_range(since, until).annotate(day=TruncDay("created_at")).values("day")
    return rows.annotate(count=models.Count("id")).order_by("day").values_list("count", flat=True)


take_steps(
    create=create, insert=Entry.objects.create, load=load, error=IntegrityError, upsert=upsert, update=update,
    days=days, where=Entry.objects.filter,
    bulk=lambda texts, n: Entry.objects.bulk_create(Entry(what=what, n=n) for what in texts),
    day=lambda since, until: list(in_range(since, until).order_by("created_at")),
    page=lambda time, id: list(Entry.objects.filter(
        models.Q(created_at__lt=time) | models.Q(created_at=time, id__lt=id)).order_by("-created_at", "-id")[:50]))
