/*
 * Preloaded into a server between the runtimes of AddressSanitizer and UndefinedBehaviorSanitizer.
 *
 * The functions of translated messages do nothing, as a server would hang in them. UndefinedBehaviorSanitizer
 * gets its options here: it reads the environment at the first report, when the server has overwritten it with
 * its status. Its reports get their path by a function, as AddressSanitizer's log_path does not apply to it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

char	   *bindtextdomain(const char *domain, const char *folder);
char	   *bind_textdomain_codeset(const char *domain, const char *codeset);
char	   *textdomain(const char *domain);
const char *__ubsan_default_options(void);

char *
bindtextdomain(const char *domain, const char *folder)
{
	(void) domain;
	return (char *) folder;
}

char *
bind_textdomain_codeset(const char *domain, const char *codeset)
{
	(void) domain;
	return (char *) codeset;
}

char *
textdomain(const char *domain)
{
	return (char *) domain;
}

const char *
__ubsan_default_options(void)
{
	return "abort_on_error=1:print_stacktrace=1";
}

/* REPORTS is the path of a report without the process ID. */
__attribute__((constructor)) static void
report_to_file(void)
{
	void		(*set_report_path) (const char *);

	*(void **) &set_report_path = dlsym(RTLD_NEXT, "__sanitizer_set_report_path");
	if (set_report_path != NULL)
		set_report_path(REPORTS);
}
