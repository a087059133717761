package main

import (
	"encoding/json"
	"log"
	"net/http"
{{#opaque}}
	"os"
{{/opaque}}

	"example.com/orders/gatehouse"
)

func main() {
	api := gatehouse.New({{metadata}}{{#opaque}}, gatehouse.IntrospectionSecret(os.Getenv("INTROSPECTION_SECRET")){{/opaque}})
	orders := api.Require({{#scope}}gatehouse.Scope({{scope}}){{/scope}})
	http.Handle("/orders", orders(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		json.NewEncoder(w).Encode(map[string]string{"sub": gatehouse.CallerOf(r).Sub})
	})))
	log.Fatal(http.ListenAndServe(":8080", nil))
}
