// Preloaded into each measured process: at its end, it writes CPU time and peak memory to file descriptor 3.
// maxRSS includes the parent's memory before exec; VmHWM doesn't.
const { readFileSync, writeSync } = require('node:fs');

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  let peakKB = maxRSS;
  try {
    peakKB = Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync('/proc/self/status', 'latin1'))[1]);
  } catch {}
  writeSync(3, JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1000, peakMB: peakKB / 1024 }));
});
