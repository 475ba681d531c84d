/** What a process costs that does nothing. */
process.stdout.write('ready\n');
process.stdin.resume();
