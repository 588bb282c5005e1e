//! What the kernel says about this process and this machine.
//!
//! CPU time comes in ticks of ten milliseconds and covers all threads, ended ones included. Peak memory is the high-water
//! mark of this process alone, which is why each measurement has a process of its own.

use std::fs;

/// Clock ticks a second, as Linux reports them to user space on every architecture we run on.
const TICKS: f64 = 100.0;

/// CPU seconds, user and system, of a process so far (`self` is this one).
pub fn cpu_seconds(process: &str) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The second field is the program's name in parentheses and may hold blanks.
    let Some((_, rest)) = stat.rsplit_once(") ") else { return f64::NAN };
    let fields: Vec<&str> = rest.split(' ').collect();
    let ticks = |at: usize| fields.get(at).and_then(|text| text.parse::<f64>().ok()).unwrap_or(f64::NAN);
    (ticks(11) + ticks(12)) / TICKS
}

/// A field of `/proc/<process>/status` in KiB; 0 where there is none.
pub fn memory_kib(process: &str, field: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// One line about the machine.
pub fn describe() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .map_or("unknown processor", |rest| rest.trim_start_matches([' ', '\t', ':']));
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib: u64 =
        memory.lines().find_map(|line| line.strip_prefix("MemTotal:")?.split_whitespace().next()?.parse().ok()).unwrap_or(0);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("?").to_owned();
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!(
        "machine: {cores} cores of {model}, {} GiB, {} {}, load {load} at the start",
        kib >> 20,
        std::env::consts::OS,
        kernel.trim()
    )
}
