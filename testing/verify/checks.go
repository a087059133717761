// Answers the checks of the tests: a line of JSON for each question and each answer, with a clock that is told. It is
// compiled with gatehouse.go as one package.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

type asked struct {
	ID      int             `json:"id"`
	API     int             `json:"api"`
	Now     float64         `json:"now"`
	Header  json.RawMessage `json:"header"`
	Options struct {
		API                 string   `json:"api"`
		IntrospectionSecret *string  `json:"introspectionSecret"`
		IntrospectionID     *string  `json:"introspectionId"`
		Issuers             []string `json:"issuers"`
		ClockTolerance      *float64 `json:"clockTolerance"`
	} `json:"options"`
	Needs struct {
		Scope  json.RawMessage `json:"scope"`
		ACR    *string         `json:"acr"`
		MaxAge *float64        `json:"maxAge"`
		Kind   *string         `json:"kind"`
	} `json:"needs"`
}

var (
	made    = map[int]*API{}
	clock   atomic.Int64
	writing sync.Mutex
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var one asked
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			panic(err)
		}
		clock.Store(int64(one.Now * float64(time.Second)))
		// in turn: the first check of an API makes it
		if api := apiOf(one); api != nil {
			go answer(api, one)
		}
	}
}

func apiOf(one asked) (api *API) {
	defer orSay(one.ID)
	if made[one.API] == nil {
		options := []Option{OnProblem(func(message string) { say(map[string]any{"api": one.API, "problem": message}) })}
		options = append(options, OnRefused(func(reason string) { say(map[string]any{"api": one.API, "reason": reason}) }))
		told := one.Options
		if told.IntrospectionSecret != nil {
			options = append(options, IntrospectionSecret(*told.IntrospectionSecret))
		}
		if told.IntrospectionID != nil {
			options = append(options, IntrospectionID(*told.IntrospectionID))
		}
		if told.Issuers != nil {
			options = append(options, Issuers(told.Issuers...))
		}
		if told.ClockTolerance != nil {
			options = append(options, ClockTolerance(time.Duration(*told.ClockTolerance*float64(time.Second))))
		}
		api := New(told.API, options...)
		api.now = func() time.Time { return time.Unix(0, clock.Load()) }
		made[one.API] = api
	}
	return made[one.API]
}

func answer(api *API, one asked) {
	defer orSay(one.ID)
	var asks []Ask
	needs := one.Needs
	if words := textsIn(needs.Scope); words != nil {
		asks = append(asks, Scope(strings.Join(words, " ")))
	}
	if needs.ACR != nil {
		asks = append(asks, ACR(*needs.ACR))
	}
	if needs.MaxAge != nil {
		asks = append(asks, MaxAge(time.Duration(*needs.MaxAge*float64(time.Second))))
	}
	if needs.Kind != nil {
		asks = append(asks, Kind(*needs.Kind))
	}
	caller, err := api.Check(textsIn(one.Header), asks...)
	if err == nil {
		say(map[string]any{"id": one.ID, "caller": caller})
		return
	}
	refused := err.(*Refused)
	headers := map[string]string{}
	for name := range refused.Header {
		headers[strings.ToLower(name)] = refused.Header.Get(name)
	}
	say(map[string]any{"id": one.ID, "refused": map[string]any{"status": refused.Status, "headers": headers}})
}

// textsIn gives what is a text or a list of them; nil where it is neither.
func textsIn(raw json.RawMessage) []string {
	var texts []string
	var text *string
	if json.Unmarshal(raw, &texts) == nil {
		return texts
	}
	if json.Unmarshal(raw, &text) == nil && text != nil {
		return []string{*text}
	}
	return nil
}

func orSay(id int) {
	if fault := recover(); fault != nil {
		say(map[string]any{"id": id, "error": fmt.Sprint(fault)})
	}
}

func say(what map[string]any) {
	text, err := json.Marshal(what)
	if err != nil {
		panic(err)
	}
	writing.Lock()
	defer writing.Unlock()
	fmt.Println(string(text))
}
