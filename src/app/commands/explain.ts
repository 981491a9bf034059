import { userError } from '../../errors.ts';
import { suggestion } from '../../text/suggest.ts';
import { explanations } from '../../wording/explanations.ts';
import type { AddCommand } from './terminal.ts';

export const explainCommand: AddCommand = (program, { out }, done) => {
  program
    .command('explain')
    .description('explain a code of a verdict, and what to do')
    .argument('<code>', 'a code in result.json, or the first words of a comment')
    .addHelpText('after', '\nExample:\n  evaldiff explain "not judged"')
    .action((asked: string) => {
      const code = asked.toLowerCase().replaceAll(' ', '-');
      const known = explanations();
      const found = known.get(code);
      const codes = [...known.keys()];
      if (found === undefined)
        throw userError(
          null,
          `unknown code "${code}"${suggestion(code, codes)} (known: ${codes.join(', ')})`,
        );
      out(`${found}\n`);
      done(0);
    });
};
