<?php
/** PDO, and Doctrine's DBAL and ORM. */

use Doctrine\DBAL\DriverManager;
use Doctrine\DBAL\Exception\DriverException;
use Doctrine\DBAL\Types\Types;
use Doctrine\ORM\Configuration;
use Doctrine\ORM\EntityManager;
use Doctrine\ORM\Id\AbstractIdGenerator;
use Doctrine\ORM\Mapping as ORM;
use Doctrine\ORM\Mapping\Driver\AttributeDriver;
use Ramsey\Uuid\Uuid;

require 'Doctrine/ORM/autoload.php';
require 'Ramsey/Uuid/autoload.php';
require __DIR__ . '/check.php';

// [doc: generator]
class ServerKey extends AbstractIdGenerator
{
    public function generateId($manager, $entity): mixed
    {
        return $manager->getConnection()->fetchOne('SELECT uuid_v7()');
    }
}
// [end]

// [doc: entity]
#[ORM\Entity]
class Event
{
    #[ORM\Id, ORM\Column(type: 'guid'), ORM\GeneratedValue('CUSTOM'), ORM\CustomIdGenerator(ServerKey::class)]
    public $id;
    #[ORM\Column(name: 'created_at', type: 'string', insertable: false, updatable: false)]
    public $createdAt;
    #[ORM\Column]
    public string $what = 'many';
}
// [end]

$time_range = ['2026-01-10T00:00:00Z', '2026-01-11T00:00:00Z'];
$count = 'SELECT count(*) FROM event WHERE id >= ? AND id < ?';
$cast = str_replace('?', '?::timestamptz', $count);

$db = new PDO('pgsql:');
$insert = $db->prepare('INSERT INTO event (what) VALUES (?) RETURNING id');
$insert->execute(['first']);
check('PDO: a new key is a string', $insert->fetchColumn()[14], '7');
try {
    $db->prepare($count)->execute($time_range);
    check('PDO: a time is taken for a UUID', false, true);
} catch (PDOException $error) {
    check('PDO: a time is taken for a UUID', $error->getCode(), '22P02');
}
$select = $db->prepare($cast);
$select->execute($time_range);
check('PDO: with a cast it is a time', $select->fetchColumn(), 288);

$doctrine = DriverManager::getConnection([
    'driver' => 'pdo_pgsql', 'user' => getenv('PGUSER'), 'dbname' => getenv('PGDATABASE'),
]);
$times = array_map(fn ($time) => new DateTimeImmutable($time), $time_range);
$types = [Types::DATETIMETZ_IMMUTABLE, Types::DATETIMETZ_IMMUTABLE];
try {
    $doctrine->fetchOne($count, $times, $types);
    check('Doctrine: so is a DateTime', false, true);
} catch (DriverException $error) {
    check('Doctrine: so is a DateTime', $error->getSQLState(), '22P02');
}
check('Doctrine: with a cast it is a time', $doctrine->fetchOne($cast, $times, $types), 288);

$db->exec('CALL add_time_column()');
$configuration = new Configuration();
$configuration->setMetadataDriverImpl(new AttributeDriver([]));
$configuration->setProxyDir(sys_get_temp_dir());
$configuration->setProxyNamespace('Proxy');
$manager = new EntityManager($doctrine, $configuration);
$events = array_map(fn () => new Event(), range(1, 1000));
array_walk($events, [$manager, 'persist']);
$manager->flush();
$id = $events[0]->id;
check('Doctrine: a key is a string', $id[14], '7');
$time = new DateTimeImmutable($doctrine->fetchOne('SELECT uuid_extract_time(?)', [$id]));
$rows = $manager->createQuery('SELECT e FROM Event e WHERE e.createdAt >= :since AND e.createdAt < :until')
    ->execute(['since' => $time_range[0], 'until' => $time_range[1]]);
check('Doctrine: the time column finds a time range', count($rows), 288);
$manager->refresh($events[0]);
check('Doctrine: it is the time of the key', new DateTimeImmutable($events[0]->createdAt) == $time, true);
check('Doctrine: the time of a key', $time->format('Uv'), (string) hexdec(substr(str_replace('-', '', $id), 0, 12)));

for ($n = 0; $n < 100; $n++) {
    $db->prepare("INSERT INTO event (id, what) VALUES (?, 'client')")->execute([Uuid::uuid7()]);
    $db->exec("INSERT INTO event (what) VALUES ('server')");
}
exit((int) $failed);
