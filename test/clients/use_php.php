<?php
/** PDO, and Doctrine's ORM. */

use Doctrine\DBAL\DriverManager;
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

$db = new PDO('pgsql:');
$insert = $db->prepare('INSERT INTO event (what) VALUES (?) RETURNING id');
$insert->execute(['first']);
check('PDO: a new key is a string', $insert->fetchColumn()[14], '7');
$db->exec('CALL add_time_column()');
$select = $db->prepare('SELECT count(*) FROM event WHERE created_at >= ? AND created_at < ?');
$select->execute($time_range);
check('PDO: the time column finds a time range', $select->fetchColumn(), 288);

// Keys of the client beside the server's.
for ($n = 0; $n < 100; $n++) {
    $db->prepare("INSERT INTO event (id, what) VALUES (?, 'client')")->execute([Uuid::uuid7()]);
    $db->exec("INSERT INTO event (what) VALUES ('server')");
}
check('keys of client and server are in the order of their milliseconds',
    $db->query("SELECT are_in_order('{client, server}')")->fetchColumn(), true);

$doctrine = DriverManager::getConnection([
    'driver' => 'pdo_pgsql', 'user' => getenv('PGUSER'), 'dbname' => getenv('PGDATABASE'),
]);
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
check('Doctrine: keys are in order', $doctrine->fetchOne("SELECT are_in_order('{many}')"), true);
$rows = $manager->createQuery('SELECT e FROM Event e WHERE e.createdAt >= :since AND e.createdAt < :until')
    ->execute(['since' => $time_range[0], 'until' => $time_range[1]]);
check('Doctrine: the time column finds a time range', count($rows), 288);
$manager->refresh($events[0]);
check('Doctrine: it is the time of the key', (new DateTimeImmutable($events[0]->createdAt))->format('Uv'),
    (string) hexdec(substr(str_replace('-', '', $id), 0, 12)));
exit((int) $failed);
