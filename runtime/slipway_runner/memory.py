"""How often the kernel killed a process of this container because the container's memory was full."""

COUNTERS = (
    '/sys/fs/cgroup/memory.events',  # cgroup v2
    '/sys/fs/cgroup/memory/memory.oom_control',  # cgroup v1
)


def oom_kills():
    """The kernel's own count since the container started; 0 where it is not to be seen."""
    for path in COUNTERS:
        try:
            with open(path, encoding='ascii') as source:
                counts = dict(line.split() for line in source)
        except OSError:
            continue
        return int(counts.get('oom_kill', 0))
    return 0
