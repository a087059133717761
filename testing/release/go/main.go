// A client of go-oidc and x/oauth2 as their documentation writes it. It prints the address that a browser opens, reads
// the address that the browser came back to, and prints what it was given.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// counting counts the requests for tokens: x/oauth2 repeats one that is refused in another way.
type counting struct{ tokens int }

func (transport *counting) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method == http.MethodPost && strings.HasSuffix(request.URL.Path, "/token") {
		transport.tokens++
	}
	return http.DefaultTransport.RoundTrip(request)
}

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func main() {
	transport := &counting{}
	ctx := oidc.ClientContext(context.Background(), &http.Client{Transport: transport})
	provider := must(oidc.NewProvider(ctx, os.Getenv("ISSUER")))
	config := oauth2.Config{
		ClientID:     os.Getenv("CLIENT_ID"),
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		RedirectURL:  os.Getenv("REDIRECT_URI"),
		Endpoint:     provider.Endpoint(),
		Scopes:       []string{oidc.ScopeOpenID, "email", "read"},
	}
	verifier := oauth2.GenerateVerifier()
	fmt.Println(config.AuthCodeURL("of-go", oauth2.S256ChallengeOption(verifier), oidc.Nonce("nonce-of-go")))

	lines := bufio.NewScanner(os.Stdin)
	lines.Scan()
	back := must(url.Parse(lines.Text()))
	token := must(config.Exchange(ctx, back.Query().Get("code"), oauth2.VerifierOption(verifier)))
	requests := transport.tokens
	raw, _ := token.Extra("id_token").(string)
	idToken := must(provider.Verifier(&oidc.Config{ClientID: config.ClientID}).Verify(ctx, raw))
	userinfo := must(provider.UserInfo(ctx, oauth2.StaticTokenSource(token)))
	scope, _ := token.Extra("scope").(string)

	refreshed := ""
	if token.RefreshToken != "" {
		old := &oauth2.Token{RefreshToken: token.RefreshToken, Expiry: time.Now().Add(-time.Hour)}
		refreshed = must(config.TokenSource(ctx, old).Token()).AccessToken
	}
	var metadata struct {
		EndSession string `json:"end_session_endpoint"`
	}
	if err := provider.Claims(&metadata); err != nil {
		panic(err)
	}
	text, _ := json.Marshal(map[string]any{
		"sub":             idToken.Subject,
		"nonce":           idToken.Nonce,
		"email":           userinfo.Email,
		"scope":           scope,
		"token_requests":  requests,
		"refreshed":       refreshed != "" && refreshed != token.AccessToken,
		"end_session_uri": metadata.EndSession + "?id_token_hint=" + url.QueryEscape(raw),
	})
	fmt.Println(string(text))
}
