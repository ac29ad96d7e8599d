<?php
/** What the programs in PHP share. */

$failed = false;

/** Prints a result, with what was seen if it is not as expected. */
function check($what, $seen, $expected)
{
    global $failed;
    $failed = $failed || $seen !== $expected;
    echo $seen === $expected ? "ok - $what\n" : "not ok - $what: " . json_encode($seen) . "\n";
}
