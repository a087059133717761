-- SQL has no punycode: lib/store/database/email-forms.ts runs in this transaction, and does not wait long behind a row that is being changed.
SET LOCAL lock_timeout = '5s';
