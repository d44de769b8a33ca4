// json_parsers.cpp - a stack of parsers behind a lock (json_parsers.h).
#include "proto/codec/json_parsers.h"

#include <mutex>
#include <new>

namespace {

class parser_stack {
  public:
    ~parser_stack()
    {
        while (top)
            delete pop();
    }

    struct json_parser *
    pop()
    {
        std::lock_guard<std::mutex> held(lock);
        struct json_parser *found = top;
        if (found)
            top = found->next;
        return found;
    }

    void
    push(struct json_parser *parser)
    {
        std::lock_guard<std::mutex> held(lock);
        parser->next = top;
        top = parser;
    }

  private:
    std::mutex lock;
    struct json_parser *top = nullptr;
};

class parser_stack unused;

} // namespace

extern "C" struct json_parser *
json_parsers_borrow(void)
{
    struct json_parser *found = unused.pop();
    return found ? found : new (std::nothrow) struct json_parser;
}

extern "C" void
json_parsers_give_back(struct json_parser *parser)
{
    unused.push(parser);
}
