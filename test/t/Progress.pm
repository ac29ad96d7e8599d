# Formatter of prove that prints what each file of tests says as a whole when the file has ended, as several run at
# once, and then one line on it to the file descriptor that PROGRESS_FD names.
package Progress;

use strict;
use warnings;
use parent 'TAP::Formatter::Base';

use Fcntl;
use Time::HiRes 'time';

my ($ended, $passed, $failed) = (0, 0, 0);
my $failures = '';
open my $terminal, '>&=', $ENV{PROGRESS_FD} // 1 or die "cannot write to PROGRESS_FD: $!";
# A server that is left over must not keep it open.
fcntl $terminal, F_SETFD, FD_CLOEXEC;
$_->autoflush(1) foreach $terminal, *STDOUT;

# Knows how many files there are.
sub prepare
{
	my ($self, @tests) = @_;
	$self->{files} = @tests;
}

# Begins a file. The formatter is its session, too.
sub open_test
{
	my ($self, $name, $parser) = @_;
	return bless { name => $name, parser => $parser, files => $self->{files}, began => time, said => '' },
	  'Progress::Session';
}

# Says at the end what failed, which may be far above.
sub summary
{
	print $failures;
}

package Progress::Session;

# Keeps a line.
sub result
{
	my ($self, $result) = @_;
	$self->{said} .= $result->raw . "\n";
}

# Prints what the file has said, and how it went.
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
	$passed += $parser->passed;
	$failed += $bad;
	printf {$terminal} "  %d/%d %s: %d passed, %d failed, %d s; so far %d passed, %d failed\n",
	  $ended, $self->{files}, $self->{name} =~ s{.*/}{}r, scalar $parser->passed, $bad, time - $self->{began},
	  $passed, $failed;
}

1;
