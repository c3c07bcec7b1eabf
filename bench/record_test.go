package bench

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

var record = flag.Bool("record", false, "write the figures to bench/results")

// A figure is what one operation costs. The machine may be shared: the least of many short rounds is
// what the operation costs when nobody disturbs it, the median what it cost mostly.
type figure struct {
	Name     string  `json:"name"`
	LeastNS  float64 `json:"least_ns"`
	MedianNS float64 `json:"median_ns"`
	Allocs   float64 `json:"allocs"`
	TargetNS float64 `json:"target_ns,omitempty"`
}

// A sheet is the figures of one run.
type sheet struct {
	Title   string   `json:"title"`
	Command string   `json:"command"`
	Date    string   `json:"date"`
	CPU     string   `json:"cpu"`
	CPUs    int      `json:"cpus"`
	Go      string   `json:"go"`
	Figures []figure `json:"figures"`
}

// measure runs f in rounds of n.
func measure(name string, target float64, rounds, n int, f func()) figure {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	f()
	times := make([]float64, rounds)
	for i := range times {
		start := time.Now()
		for range n {
			f()
		}
		times[i] = float64(time.Since(start)) / float64(n)
	}
	slices.Sort(times)
	return figure{name, round(times[0]), round(times[len(times)/2]), testing.AllocsPerRun(100, f), target}
}

// round keeps three digits.
func round(ns float64) float64 {
	var out float64
	fmt.Sscanf(fmt.Sprintf("%.3g", ns), "%g", &out)
	return out
}

// write writes a sheet as JSON and as a table, if that is asked for, and logs the table.
func (s *sheet) write(t *testing.T, name string) {
	t.Helper()
	s.Command = fmt.Sprintf("go test ./bench -run '^%s$' -count 1 -record", t.Name())
	s.Date, s.CPU, s.CPUs, s.Go = time.Now().UTC().Format("2006-01-02"), cpuModel(), runtime.NumCPU(), runtime.Version()
	table := s.table()
	t.Log("\n" + table)
	if !*record {
		return
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	for ext, content := range map[string][]byte{".json": append(text, '\n'), ".md": []byte(table)} {
		if err := os.WriteFile(filepath.Join("results", name+ext), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func (s *sheet) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s, %d × %s, %s\n\n    %s\n\n", s.Title, s.Date, s.CPUs, s.CPU, s.Go, s.Command)
	b.WriteString("| | least | median | allocations | target |\n|---|---|---|---|---|\n")
	for _, f := range s.Figures {
		target := ""
		if f.TargetNS > 0 {
			target = "≤ " + duration(f.TargetNS)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %g | %s |\n", f.Name, duration(f.LeastNS), duration(f.MedianNS), f.Allocs, target)
	}
	return b.String()
}

func duration(ns float64) string {
	switch {
	case ns >= 1e6:
		return fmt.Sprintf("%.3g ms", ns/1e6)
	case ns >= 1e4:
		return fmt.Sprintf("%.3g µs", ns/1e3)
	}
	return fmt.Sprintf("%.4g ns", ns)
}

// cpuModel gives what lscpu calls the processor.
func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if key, value, _ := strings.Cut(s.Text(), ":"); strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
