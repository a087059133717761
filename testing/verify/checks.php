<?php
// Answers the checks of the tests: a line of JSON for each question and each answer, with a clock that is told. As PHP
// serves a request, it begins each one with nothing but the folder of what is kept.

declare(strict_types=1);

require $argv[1];

function say(array $what): void
{
    echo json_encode($what, JSON_THROW_ON_ERROR), "\n";
}

while (($line = fgets(STDIN)) !== false) {
    $asked = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    ['id' => $id, 'api' => $api, 'now' => $now, 'options' => $options, 'header' => $header, 'needs' => $needs] = $asked;
    try {
        $options['address'] = $options['api'] ?? '';
        unset($options['api']);
        $options['clock'] = static fn() => $now;
        $options['onProblem'] = static fn(string $problem) => say(['api' => $api, 'problem' => $problem]);
        $options['onRefused'] = static fn(string $reason) => say(['api' => $api, 'reason' => $reason]);
        $caller = (new Gatehouse\Api(...$options, cache: $asked['cache']))->check($header, ...$needs);
        $said = [
            'sub' => $caller->sub,
            'client_id' => $caller->clientId,
            'scope' => $caller->scope,
            'kind' => $caller->kind,
            'act' => $caller->act,
            'claims' => $caller->claims,
        ];
        say(['id' => $id, 'caller' => $said]);
    } catch (Gatehouse\Refused $refused) {
        $headers = array_change_key_case($refused->headers);
        say(['id' => $id, 'refused' => ['status' => $refused->status, 'headers' => $headers]]);
    } catch (Throwable $error) {
        say(['id' => $id, 'error' => get_class($error) . ": {$error->getMessage()}"]);
    }
}
