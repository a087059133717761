{{#bound}}, { DPoP{{#insecure}}, [oauth.allowInsecureRequests]: true{{/insecure}} }{{/bound}}{{^bound}}{{#insecure}}, { [oauth.allowInsecureRequests]: true }{{/insecure}}{{/bound}}
