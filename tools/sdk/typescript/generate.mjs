// generate.mjs - types from the description of the server's interface:
//
//   node generate.mjs http://127.0.0.1:8080/openapi.json > src/generated.ts
//
// A schema is an interface, an operation a row of method and path. Aliases of operations are left out.
import { readFile } from 'node:fs/promises'

const source = process.argv[2]
const text = source.startsWith('http') ? await (await fetch(source)).text() : await readFile(source, 'utf8')
const document = JSON.parse(text)

const literal = value => JSON.stringify(value)
const name = key => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : literal(key))
const comment = (words, indent) => (words ? `${indent}/** ${words.replaceAll('*/', '* /').replace(/\s+/g, ' ')} */\n` : '')

function objectOf(schema, indent) {
  const required = new Set(schema.required ?? [])
  const inner = indent + '  '
  const rows = Object.entries(schema.properties ?? {}).map(([key, value]) =>
    `${comment(value.description, inner)}${inner}${name(key)}${required.has(key) ? '' : '?'}: ${typeOf(value, inner)}\n`)
  if (!rows.length) return 'Record<string, unknown>'
  return `{\n${rows.join('')}${indent}}`
}

function typeOf(schema, indent = '') {
  if (schema === true || !schema || !Object.keys(schema).length) return 'unknown'
  if (schema.$ref) return schema.$ref.split('/').at(-1)
  if ('const' in schema) return literal(schema.const)
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  const parts = schema.anyOf ?? schema.oneOf
  if (parts) return [...new Set(parts.map(part => typeOf(part, indent)))].join(' | ')
  if (schema.allOf && !schema.properties) return schema.allOf.map(part => typeOf(part, indent)).join(' & ')
  if (Array.isArray(schema.type)) return [...new Set(schema.type.map(type => typeOf({ ...schema, type }, indent)))].join(' | ')
  switch (schema.type) {
    case 'string': return 'string'
    case 'integer': case 'number': return 'number'
    case 'boolean': return 'boolean'
    case 'null': return 'null'
    case 'array': {
      const item = typeOf(schema.items, indent)
      return /[ |&{]/.test(item) ? `Array<${item}>` : `${item}[]`
    }
    case 'object': return objectOf(schema, indent)
    default: return schema.properties ? objectOf(schema, indent) : 'unknown'
  }
}

let out = '// generated.ts - written by generate.mjs from /openapi.json; a test says when it is not current.\n\n'
for (const [key, schema] of Object.entries(document.components.schemas)) {
  const type = typeOf(schema)
  out += comment(schema.description, '')
  out += type.startsWith('{') ? `export interface ${key} ${type}\n\n` : `export type ${key} = ${type}\n\n`
}
out += '/** Every operation: its method and its path. */\nexport const operations = {\n'
for (const [path, methods] of Object.entries(document.paths)) {
  for (const [method, operation] of Object.entries(methods)) {
    if (!operation.operationId || operation.deprecated || operation['x-alias-of']) continue
    out += `${comment(operation.summary, '  ')}  ${name(operation.operationId)}: [${literal(method.toUpperCase())}, ${literal(path)}],\n`
  }
}
process.stdout.write(out + '} as const\n')
