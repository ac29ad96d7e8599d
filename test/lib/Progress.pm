# Formatter of prove that prints the output of each test file when it ends, as several run concurrently, and then a
# summary line to the file descriptor PROGRESS_FD.
package Progress;

use strict;
use warnings;
use parent 'TAP::Formatter::Base';

use Fcntl;
use Time::HiRes 'time';

my ($ended, $passed, $failed, $shown) = (0, 0, 0, time);
my $failures = '';
open my $terminal, '>&=', $ENV{PROGRESS_FD} // 1 or die "cannot write to PROGRESS_FD: $!";
# A leftover server must not keep it open.
fcntl $terminal, F_SETFD, FD_CLOEXEC;
$_->autoflush(1) foreach $terminal, *STDOUT;

# Records the number of files.
sub prepare
{
	my ($self, @tests) = @_;
	$self->{files} = @tests;
}

# Begins a file; returns its session.
sub open_test
{
	my ($self, $name, $parser) = @_;
	return bless { name => $name, parser => $parser, files => $self->{files}, began => time, said => '' },
	  'Progress::Session';
}

# Prints the failures again at the end.
sub summary
{
	print $failures;
}

package Progress::Session;

# Stores a line; shows that a long test continues.
sub result
{
	my ($self, $result) = @_;
	$self->{said} .= $result->raw . "\n";
	return if time - $shown < 10;
	$shown = time;
	printf {$terminal} "  %s: %d passed so far\n", $self->{name} =~ s{.*/}{}r, scalar $self->{parser}->passed;
}

# Prints the file's output and its result.
sub close_test
{
	my ($self) = @_;
	my $parser = $self->{parser};
	print "# $self->{name}\n$self->{said}";
	my @wrong = grep { !/# TODO/ } $self->{said} =~ /^\s*(not ok .*)/mg;
	push @wrong, 'exit status ' . $parser->exit if $parser->exit;
	push @wrong, $parser->parse_errors;
	$failures .= "# $self->{name}: $_\n" foreach @wrong;
	# One that ended too early has failed, too.
	my $bad = $parser->failed || (@wrong ? 1 : 0);
	$ended++;
	$shown = time;
	$passed += $parser->passed;
	$failed += $bad;
	printf {$terminal} "  %d/%d %s: %d passed, %d failed, %d s; so far %d passed, %d failed\n",
	  $ended, $self->{files}, $self->{name} =~ s{.*/}{}r, scalar $parser->passed, $bad, time - $self->{began},
	  $passed, $failed;
}

1;
