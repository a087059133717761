// src/App.tsx of Vite: npm install oidc-client-ts{{#vitePort}} and npm run dev -- --port {{vitePort:plain}}{{/vitePort}}
{{>parts/browser-import.ts}}
import { useEffect, useState } from 'react';

{{>parts/browser.ts}}

// once: an answer can be read only once, and StrictMode runs effects twice
let found: Promise<User | null> | undefined;

export default function App() {
  const [user, setUser] = useState<User | null>(null);
  const [answer, setAnswer] = useState('');
  useEffect(() => {
    found ??= currentUser();
    found.then(setUser, (error) => setAnswer(String(error)));
  }, []);
  return (
    <>
      {!user && <button onClick={() => manager.signinRedirect()}>Sign in</button>}
      {user && (
        <>
          <p>Hello {user.profile.{{#named}}name{{/named}}{{^named}}sub{{/named}}}</p>
          <button onClick={() => callApi(user).then(setAnswer)}>Call the API</button>
          <button onClick={() => manager.signoutRedirect()}>Sign out</button>
        </>
      )}
      <pre role="status">{answer}</pre>
    </>
  );
}
