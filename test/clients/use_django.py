"""Django of any version: from 5.1 on, a model can declare all parts of a time column."""
import os

import django
from check import ROWS, SINCE, UNTIL, check, clock, end, increase, is_new
from django.conf import settings
from django.db import connection

settings.configure(USE_TZ=True, TIME_ZONE="UTC", DATABASES={"default": {
    "ENGINE": "django.db.backends.postgresql", "NAME": os.environ["PGDATABASE"], "HOST": os.environ["PGHOST"],
    "PORT": os.environ["PGPORT"], "USER": os.environ["PGUSER"]}})
django.setup()

from django.contrib.postgres.operations import CreateExtension
from django.db import migrations
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.graph import MigrationGraph
from django.db.migrations.questioner import MigrationQuestioner
from django.db.migrations.state import ModelState, ProjectState
from django.db.migrations.writer import MigrationWriter
from django.db.models import Value
# [doc: imports]
from django.db import models
from django.db.models import DateTimeField, Func
# [end]

operations = [
    CreateExtension("uuidx"),
    # ... and after the model was created, before Django 5 only:
    migrations.RunSQL("ALTER TABLE old_event ALTER id SET DEFAULT uuid_v7()",
                      "ALTER TABLE old_event ALTER id DROP DEFAULT"),
]


class UUIDv7Field(models.UUIDField):
    db_returning = True

    def pre_save(self, model_instance, add):
        return super().pre_save(model_instance, add) or Func(function="uuid_v7")


# [doc: manager]
class EventManager(models.Manager):
    def get_queryset(self):
        time = Func("id", function="uuid_extract_v7_time", output_field=DateTimeField())
        return super().get_queryset().annotate(created_at=time)
# [end]


if django.VERSION >= (5, 1):
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
                "id", function="uuid_is_v7", output_field=models.BooleanField()))]
            # [end]


class OldEvent(models.Model):
    id = UUIDv7Field(primary_key=True, editable=False)
    objects = EventManager()
    what = models.TextField()

    class Meta:
        app_label = "app"
        db_table = "old_event"


def migrate(operation):
    """Creates the table as a migration does."""
    with connection.schema_editor() as editor:
        operation.database_forwards("app", editor, ProjectState(), ProjectState())


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


def use(Event, name):
    """Inserts and finds rows of an empty table."""
    start = clock()
    event = Event.objects.create(what="first")
    events = Event.objects.bulk_create(Event(what=f"row {n:02}") for n in range(100))
    ids = list(Event.objects.order_by("what").values_list("id", flat=True))
    check(f'{name}: create returns a new key', is_new(event.id, start) and event.id == ids[0], event.id)
    check(f'{name}: a uuid.UUID finds its row', Event.objects.get(id=event.id).what == "first")
    check(f'{name}: keys are in the order of the objects', len(ids) == 101 and increase(ids) and is_new(ids[-1], start))
    returned = [event.id for event in events] == ids[1:]
    if Event is OldEvent or django.VERSION >= (6,):
        check(f'{name}: bulk_create returns the keys', returned, events[0].id)
    else:
        check(f'{name}: bulk_create does not return the keys before 6', not returned)
    event.what = "changed"
    event.save()
    check(f'{name}: save keeps the key', Event.objects.count() == 101
          and Event.objects.get(what="changed").id == ids[0])

    with connection.cursor() as cursor:
        cursor.execute("CALL fill(%s)", [Event._meta.db_table])
    since, until = SINCE, UNTIL
    def at(time):
        return Value(time, output_field=DateTimeField())

    events = Event.objects.filter(id__gte=at(since), id__lt=at(until)).order_by("id")
    check(f'{name}: a time range has its rows', [event.what for event in events] == ROWS, events)
    timed = Event.objects.filter(created_at__gte=since, created_at__lt=until).order_by("created_at")
    check(f'{name}: a time column finds the same rows', list(timed) == list(events), timed)
    plan = ' '.join(timed.explain().split())
    check(f'{name}: by the index of the key', "Index Cond: ((id >= '" in plan, plan)
    plan = ' '.join(events.explain().split())
    check(f'{name}: the index is asked for a time range',
          "Index Cond: ((id >= '" in plan and "AND (id < '" in plan, plan)


with connection.cursor() as cursor:
    cursor.execute("DROP EXTENSION uuidx")
migrate(operations[0])
with connection.schema_editor() as editor:
    editor.create_model(OldEvent)
use(OldEvent, 'field')
migrate(operations[1])
with connection.cursor() as cursor:
    cursor.execute("INSERT INTO old_event (what) VALUES ('by others') RETURNING id")
    check('others get keys by the default of the migration', cursor.fetchone()[0].version == 7)
if django.VERSION >= (5, 1):
    cycle()
    use(Event, 'db_default')
end()
