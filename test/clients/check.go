// Shared by the programs in Go.
package main

import "fmt"

var failed = false

// check prints a result, with what was seen if it is not as expected.
func check(what string, seen, expected interface{}) {
	if seen == expected {
		fmt.Println("ok -", what)
	} else {
		failed = true
		fmt.Printf("not ok - %s: %v\n", what, seen)
	}
}

// need ends the program after an error.
func need(err error) {
	if err != nil {
		panic(err)
	}
}
