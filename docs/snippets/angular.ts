// npm install oidc-client-ts
import { Component, signal } from '@angular/core';
{{>parts/browser-import.ts}}

{{>parts/browser.ts}}

@Component({
  selector: 'app-root',
  template: `
    @if (user(); as person) {
      <p>Hello {{ person.profile.{{#named}}name{{/named}}{{^named}}sub{{/named}} }}</p>
      <button (click)="call(person)">Call the API</button>
      <button (click)="signOut()">Sign out</button>
    } @else {
      <button (click)="signIn()">Sign in</button>
    }
    <pre role="status">{{ answer() }}</pre>
  `,
})
export class App {
  readonly user = signal<User | null>(null);
  readonly signIn = () => manager.signinRedirect();
  readonly signOut = () => manager.signoutRedirect();
  readonly answer = signal('');
  readonly call = async (user: User) => this.answer.set(await callApi(user));

  constructor() {
    currentUser().then(
      (user) => this.user.set(user),
      (error) => this.answer.set(String(error)),
    );
  }
}
