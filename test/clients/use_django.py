"""Django from 5.1 on, whose models can declare all parts of a time column."""
import os

import django
from check import ROWS, SINCE, UNTIL, check, clock, end, increase, is_new
from django.conf import settings
from django.db import connection

if django.VERSION < (5, 1):
    print(f'ok # skip: Django {django.get_version()} is older than 5.1')
    end()

settings.configure(USE_TZ=True, TIME_ZONE="UTC", DATABASES={"default": {
    "ENGINE": "django.db.backends.postgresql", "NAME": os.environ["PGDATABASE"], "HOST": os.environ["PGHOST"],
    "PORT": os.environ["PGPORT"], "USER": os.environ["PGUSER"]}})
django.setup()

from django.contrib.postgres.operations import CreateExtension
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.graph import MigrationGraph
from django.db.migrations.questioner import MigrationQuestioner
from django.db.migrations.state import ModelState, ProjectState
from django.db.migrations.writer import MigrationWriter
# [doc: imports]
from django.db import models
from django.db.models import BooleanField, DateTimeField, Func
# [end]


class Event(models.Model):
    # [doc: model]
    id = models.UUIDField(primary_key=True, db_default=Func(function="uuid_v7"), editable=False)
    created_at = models.GeneratedField(expression=Func("id", function="uuid_extract_v7_time"),
                                       output_field=DateTimeField(), db_persist=True)
    # [end]
    what = models.TextField()

    class Meta:
        app_label = "app"
        db_table = "event"
        # [doc: check]
        constraints = [models.CheckConstraint(name="event_id_v7", condition=Func(
            "id", function="uuid_is_v7", output_field=BooleanField()))]
        # [end]


def generate(state):
    """The migrations that Django generates for the model."""
    model = ProjectState()
    model.add_model(ModelState.from_model(Event))
    return MigrationAutodetector(state, model, MigrationQuestioner(specified_apps={"app"})).changes(MigrationGraph())


def cycle():
    """Creates the table by the migration that Django generates and writes, and lets it generate another one."""
    names = {}
    exec(MigrationWriter(generate(ProjectState())["app"][0]).as_string(), names)
    with connection.schema_editor() as editor:
        state = names["Migration"]("0001", "app").apply(ProjectState(), editor)
    with connection.cursor() as cursor:
        cursor.execute("SELECT kept('event')")
        kept = cursor.fetchone()[0]
    check('the table has each part of the time column', kept == "stored", kept)
    check('there is nothing to change', generate(state) == {}, generate(state))


def use():
    """Inserts and finds rows of the empty table."""
    start = clock()
    event = Event.objects.create(what="first")
    events = Event.objects.bulk_create(Event(what=f"row {n:02}") for n in range(100))
    ids = list(Event.objects.order_by("what").values_list("id", flat=True))
    check('create returns a new key', is_new(event.id, start) and event.id == ids[0], event.id)
    check('and its time', round(event.created_at.timestamp() * 1000) == event.id.int >> 80, event.created_at)
    check('a uuid.UUID finds its row', Event.objects.get(id=event.id).what == "first")
    check('keys are in the order of the objects', len(ids) == 101 and increase(ids) and is_new(ids[-1], start))
    returned = [event.id for event in events] == ids[1:]
    check('bulk_create returns the keys from 6 on', returned == (django.VERSION >= (6,)), events[0].id)
    event.what = "changed"
    event.save()
    check('save keeps the key', Event.objects.count() == 101 and Event.objects.get(what="changed").id == ids[0])

    with connection.cursor() as cursor:
        cursor.execute("CALL fill('event')")
    events = Event.objects.filter(created_at__gte=SINCE, created_at__lt=UNTIL).order_by("created_at")
    check('a time range has its rows', [event.what for event in events] == ROWS, events)
    plan = ' '.join(events.explain().split())
    check('by the index of the key', "Index Cond: ((id >= '" in plan and "AND (id < '" in plan, plan)


with connection.cursor() as cursor:
    cursor.execute("DROP EXTENSION uuidx")
with connection.schema_editor() as editor:
    CreateExtension("uuidx").database_forwards("app", editor, ProjectState(), ProjectState())
cycle()
use()
end()
