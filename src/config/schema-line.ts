export function schemaLine(
  kind: 'settings' | 'prompt' | 'tests' | 'attributes' | 'agents',
): string {
  return (
    '# yaml-language-server: ' +
    `$schema=https://cdn.jsdelivr.net/npm/evaldiff@1/schemas/${kind}.schema.json\n`
  );
}
