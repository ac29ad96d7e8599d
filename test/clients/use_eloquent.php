<?php
/** Eloquent and its query builder, without the rest of Laravel. */

use Illuminate\Database\Capsule\Manager;
use Illuminate\Database\Eloquent\Model;
use Illuminate\Database\Schema\Blueprint;

// Debian 12's release is older than its PHP.
error_reporting(E_ALL & ~E_DEPRECATED);
require 'Illuminate/Database/autoload.php';
require 'Ramsey/Uuid/autoload.php';
require __DIR__ . '/check.php';

$capsule = new Manager();
$capsule->addConnection(['driver' => 'pgsql', 'host' => getenv('PGHOST'), 'port' => getenv('PGPORT'),
    'username' => getenv('PGUSER'), 'database' => getenv('PGDATABASE'), 'charset' => 'utf8']);
$capsule->setAsGlobal();
$capsule->bootEloquent();

// [doc: model]
class Event extends Model
{
    protected $table = 'event';
    protected $keyType = 'string';
    protected $casts = ['created_at' => 'immutable_datetime'];
    public $timestamps = false;
}
// [end]

$schema = Manager::schema();
$schema->create('ticket', function (Blueprint $table) {
    $table->uuid('id')->primary()->default(Manager::raw('uuid_v7()'));
});
check('the migration has the default', Manager::table('information_schema.columns')
    ->where('table_name', 'ticket')->value('column_default'), 'uuid_v7()');

Event::unguard();
check('create returns the key of the server', Event::create(['what' => 'first'])->id[14], '7');
Event::insert(array_fill(0, 10, ['what' => 'inserted']));
check('insert generates keys', Event::where('what', 'inserted')->whereRaw('uuid_is_v7(id)')->count(), 10);

$since = new DateTimeImmutable('2026-01-10T00:00:00Z');
$until = new DateTimeImmutable('2026-01-11T00:00:00Z');
check('a DateTime loses its zone', Manager::selectOne('SELECT ?::text AS time', [$since])->time, '2026-01-10 00:00:00');
[$first, $end] = [$since->format(DATE_ATOM), $until->format(DATE_ATOM)];
Manager::statement('CALL add_time_column()');
$events = Event::where('created_at', '>=', $first)->where('created_at', '<', $end)->orderBy('created_at')->get();
check('a time column finds a time range', $events->count(), 288);
check('it is a time', $events[0]->created_at->getTimestamp(), $since->getTimestamp());
check('it does not hinder an INSERT', Event::create(['what' => 'new'])->id[14], '7');

exit((int) $failed);
