# Active Record on a table with an ordinary created_at: see ordinary.sh. Its type is timestamp; the client makes times.
require 'active_record'
require 'pg'

OLD = Time.now.utc.floor - 3 * 86_400
DAY = Time.utc(2026, 1, 10)...Time.utc(2026, 1, 11)

# Is as in any application.
class Entry < ActiveRecord::Base
  self.table_name = 'entry'
end

# Prints the result of a step.
def say(step, *results)
  puts ["#{step}:", *results].join(' ')
end

# Returns how many texts there are, the first and the last.
def ends(texts)
  [texts.length, texts.first, texts.last]
end

# Creates a row, and returns how many rows have its time, or the SQLSTATE.
def add(**columns)
  Entry.create!(**columns)
  Entry.where(created_at: columns[:created_at]).count
rescue ActiveRecord::StatementInvalid => e
  e.cause.result.error_field(PG::PG_DIAG_SQLSTATE)
end

# Returns the 50 newest rows before a time and key.
def page(time, id)
  Entry.where('(created_at, id) < (?, ?)', time, id).order(created_at: :desc, id: :desc).limit(50).to_a
end

# Creates the table anew from schema.rb, prints what it then lacks, and takes that back.
def reload
  ActiveRecord::SchemaDumper.ignore_tables = [/^(?!entry$)/]
  place = ActiveRecord.version < Gem::Version.new('7.2') ? :connection : :connection_pool
  ActiveRecord::Base.transaction do
    if ActiveRecord::VERSION::MAJOR < 7  # whose schema.rb can have no CHECK that is a call
      Entry.connection.execute 'ALTER TABLE entry DROP CONSTRAINT IF EXISTS id_is_v7,
        ADD CHECK (uuid_is_v7(id) IS TRUE) NOT VALID'
    end
    schema = ActiveRecord::SchemaDumper.dump(ActiveRecord::Base.send(place), StringIO.new).string
    eval schema
    lacks = Entry.connection.select_values("SELECT problem FROM uuidx_check('entry') WHERE problem > ''")
    say 'schema.rb', lacks if lacks.any?
    say 'schema.rb, insert', add(what: 'new', created_at: Time.now)
    raise ActiveRecord::Rollback
  end
end

ActiveRecord::Base.establish_connection(adapter: 'postgresql')
ActiveRecord::Schema.verbose = false
if ARGV == ['create']
  ActiveRecord::Schema.define do
    create_table :entry, id: :uuid, default: -> { 'uuid_v7()' } do |t|
      t.string :what, null: false, index: { unique: true }
      t.integer :n, null: false, default: 0
      t.timestamps default: -> { 'CURRENT_TIMESTAMP' }
      t.index :created_at
      t.index :n
    end
  end
  exit
end

say 'day', ends(Entry.where(created_at: DAY).order(:created_at).pluck(:what))
rows = page(DAY.end, '00000000-0000-0000-0000-000000000000')
2.times { rows += page(rows.last.created_at, rows.last.id) }
say 'pages', ends(rows.map(&:what))
days = Entry.where(created_at: DAY.begin...DAY.end + 86_400).group('date(created_at)').order('date(created_at)')
say 'days', days.count.values
Entry.create!(what: 'as usual')
# With a time that is no whole number of milliseconds, as almost all are.
entry = Entry.create!(what: 'new', created_at: Time.now.floor(3) + 0.0005r)
say 'insert', Entry.find(entry.id).what
say 'by the time in memory', Entry.where(what: 'new', created_at: entry.created_at).count
entry.update!(n: 5)
say 'update', Entry.find_by(n: 5).what
say 'by the time read again', Entry.where(what: 'new', created_at: entry.reload.created_at).count
Entry.insert_all(Array.new(100) { |n| { what: "bulk #{n}", n: 3 } })
say 'bulk', Entry.where(n: 3).count
Entry.upsert_all(['event 5', 'other'].map { |what| { what: what, n: 7 } }, unique_by: :what)
say 'upsert', Entry.where(n: 7).count
key = Entry.connection.select_value("SELECT uuid_v7_at('#{OLD.iso8601}')")
say 'old with its key', add(id: key, what: 'old', created_at: OLD)
say 'old with a new key', add(what: 'older', created_at: OLD - 3600)
reload
