// Preloaded into each measured process: at its end it writes what it used to file descriptor 3.
// The kernel's maxRSS begins with that of the parent before exec; VmHWM is the process's own.
const { readFileSync, writeSync } = require('node:fs');

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  let peakKB = maxRSS;
  try {
    peakKB = Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync('/proc/self/status', 'latin1'))[1]);
  } catch {}
  writeSync(3, JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1000, peakMB: peakKB / 1024 }));
});
