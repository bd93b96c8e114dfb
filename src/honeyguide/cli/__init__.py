"""The command line: a thin skin over the library, one file per command.

`main` makes the app, and turns everything raised on purpose into one line on stderr and an exit status. A command
turns flags into settings, has `watching` attach a progress display, a log and the handling of Ctrl-C to the crawl,
calls the public function of the same name, and prints a summary. Only results go to stdout; all else goes to stderr.
"""

__all__ = []
