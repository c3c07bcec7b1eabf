package main

import (
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/fake"
)

var elsewhere = fake.Register("elsewhere", fake.Options{Devices: 2, Unkept: true})

// Arrays go to a device and come back; one that is two arguments is there once.
func TestRunElsewhere(t *testing.T) {
	before := len(elsewhere.Launches())
	code, stdout, stderr := tegulaCmd(t, "run", "testdata/one.py", "x_ptr=arange(fp32, 8)", "out_ptr=x_ptr", "n=8", "--grid", "1", "--target", "elsewhere:1", "--repeat", "2")
	if code != exitOK || !strings.Contains(stdout, "x_ptr") || !strings.Contains(stderr, "2 launches") {
		t.Errorf("%d\n%s%s", code, stdout, stderr)
	}
	launches := elsewhere.Launches()[before:]
	if len(launches) != 2 || launches[0].Stream != elsewhere.Stream(1) || launches[0].Args[0].Bits != launches[0].Args[1].Bits {
		t.Fatalf("%+v", launches)
	}
	_, here, _ := tegulaCmd(t, "run", "testdata/one.py", "x_ptr=arange(fp32, 8)", "out_ptr=x_ptr", "n=8", "--grid", "1", "--repeat", "2")
	if stdout != here {
		t.Errorf("there:\n%shere:\n%s", stdout, here)
	}
}
