# Active Record.
require 'active_record'
require 'pg'

$failed = false

# Prints a result, with what was seen if it is not as expected.
def check(what, seen, expected)
  $failed ||= seen != expected
  puts seen == expected ? "ok - #{what}" : "not ok - #{what}: #{seen.inspect}"
end

# Returns the SQLSTATE of a block's error.
def state
  yield.inspect
rescue ActiveRecord::StatementInvalid => e
  e.cause.result.error_field(PG::PG_DIAG_SQLSTATE)
end

since = Time.utc(2026, 1, 10)
til = Time.utc(2026, 1, 11)
ActiveRecord::Base.establish_connection(adapter: 'postgresql')
# Asks for the same rows as a model.
class Event < ActiveRecord::Base
  self.table_name = 'event'
end

ActiveRecord::Schema.verbose = false
if ActiveRecord::VERSION::MAJOR >= 7
  ActiveRecord::Schema.define do
    # [doc: migration]
    create_table :ticket, id: :uuid, default: -> { 'uuid_v7()' } do |t|
      t.virtual :created_at, type: :timestamptz, as: 'uuid_extract_v7_time(id)', stored: true
      t.check_constraint 'uuid_is_v7(id)'
    end
    # [end]
  end
  ActiveRecord::SchemaDumper.ignore_tables = [/^(?!ticket$)/]
  # Returns the text of schema.rb.
  def dump
    place = ActiveRecord.version < Gem::Version.new('7.2') ? :connection : :connection_pool
    ActiveRecord::SchemaDumper.dump(ActiveRecord::Base.send(place), StringIO.new).string
  end
  schema = dump
  eval schema # drops the table first
  check 'Active Record: schema.rb has each part of the time column',
        ActiveRecord::Base.connection.select_value("SELECT kept('ticket')"), 'stored'
  check 'Active Record: schema.rb stays the same', dump, schema
  # Has no settings.
  class Ticket < ActiveRecord::Base
    self.table_name = 'ticket'
  end
  ticket = Ticket.create!.reload
  check 'Active Record: the stored column is that of the key', (ticket.created_at.to_r * 1000).to_i,
        ticket.id.delete('-')[0, 12].hex
end
event = Event.create!(what: 'many')
check 'Active Record: a new key is a string', event.id[14], '7'
rows = Event.insert_all([{ what: 'many' }] * 999).rows
check 'Active Record: insert_all returns keys', rows.length, 999
check 'Active Record: in a hash it is NULL',
      [Event.where(id: since...til).count, Event.where(id: since..).count], [0, 0]
events = Event.where('id >= ?::timestamptz AND id < ?::timestamptz', since, til).order(:id)
check 'Active Record: with a cast it is a time', events.count, 288

Event.connection.execute('CALL add_time_column()')
Event.connection.schema_cache.clear!
# [doc: model]
class TimedEvent < ActiveRecord::Base
  self.table_name = 'event'
  self.primary_key = 'id'         # a view has none
  self.record_timestamps = false  # created_at is computed; updated_at is not set either
end
# [end]
event = TimedEvent.create!(what: 'new').reload
check 'Active Record: the time column is that of the key', (event.created_at.to_r * 1000).to_i,
      event.id.delete('-')[0, 12].hex
check 'Active Record: it finds a time range',
      TimedEvent.where(created_at: since...til).order(:created_at).map(&:id), events.map(&:id)
is_view = TimedEvent.connection.views.include?('event')
# Active Record knows that a virtual column takes no value, but not that a view's column takes none.
if is_view && TimedEvent.respond_to?(:partial_inserts=)
  TimedEvent.partial_inserts = false
  check 'Active Record: without partial inserts, the time column gets a value',
        state { TimedEvent.create!(what: 'new') }, '0A000'
end
exit !$failed
