// go get golang.org/x/oauth2 github.com/coreos/go-oidc/v3/oidc
provider, err := oidc.NewProvider(ctx, {{issuer}})
endpoint := provider.Endpoint()
endpoint.AuthStyle = oauth2.AuthStyleIn{{#inHeader}}Header{{/inHeader}}{{^inHeader}}Params{{/inHeader}}
config := &oauth2.Config{
	ClientID:     {{clientId}},
{{#confidential}}
	ClientSecret: os.Getenv("CLIENT_SECRET"),
{{/confidential}}
	RedirectURL:  {{redirectUri}},
	Scopes:       []string{{{scopes:list}}},
	Endpoint:     endpoint,
}

// 1. Send the person away; keep verifier and state in their session.
verifier := oauth2.GenerateVerifier()
state := rand.Text()
address := config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier))

// 2. They come back to your redirect address: compare state, then
token, err := config.Exchange(ctx, code, oauth2.VerifierOption(verifier))

// 3. Call the API; an expired token is renewed on the way.
response, err := config.Client(ctx, token).Get({{apiUrl}})
